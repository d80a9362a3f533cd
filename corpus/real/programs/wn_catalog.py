"""An index of a file server's shares is checked: threads read records of 8 KB at random, around the page cache, as fast as the disk allows. Argument: the threads."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("sharecheck")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)


def check():
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as name:
        name.write("sharecheck")
    room = mmap.mmap(-1, 8192)
    while True:
        os.preadv(file, [room], random.randrange(60000) * 8192)


for _ in range(int(sys.argv[1])):
    threading.Thread(target=check).start()
