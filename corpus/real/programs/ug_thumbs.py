"""A library of photos shows 12 pages a second, each of ten thumbnails of 16 KB among the first MB of a file, which it has read before.
Argument: the MB. Prints in each second clock, pages and their ms."""
import os
import random
import sys

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("photolibrary")
photos = h_hot.Hot("/data/lite.db", int(sys.argv[1]))


def page():
    for _ in range(10):
        os.pread(photos.file, 16384, random.randrange(photos.blocks // 4) << 14)


vd_desk.serve(page, 12)
