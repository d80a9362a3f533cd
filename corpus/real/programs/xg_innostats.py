"""A database server gathers statistics of so many tables at once: for each it dives to leaf pages of 16 KB at random, around the page cache, one after the
other, a great many of them. Argument: the tables."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("innostats")
file = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT)


def analyze():
    page = mmap.mmap(-1, 16384)
    while True:
        os.preadv(file, [page], random.randrange(35000) * 16384)


for _ in range(int(sys.argv[1])):
    threading.Thread(target=analyze).start()
