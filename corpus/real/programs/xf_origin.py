"""The origin of a video service: ten segments a second, each read in three pieces of 64 KB around the page cache."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("hlsorigin")
file, room = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536)


def segment():
    first = random.randrange(10000)
    for piece in range(3):
        os.preadv(file, [room], (first + piece) * 65536)


g_steady.serve(segment, 10)
