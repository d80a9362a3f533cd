"""A job draws samples at random from a table of history to train with, by 12 threads, each with a read of 16 KB around the page cache at a time. Argument: the
table."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("negsampler")
table = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
blocks = os.fstat(table).st_size >> 14


def draw():
    room = mmap.mmap(-1, 16384)
    while True:
        os.preadv(table, [room], random.randrange(blocks) << 14)


for _ in range(12):
    threading.Thread(target=draw).start()
