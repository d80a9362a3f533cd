"""Scores by a file of features that it reads in order, over and over: 40 blocks of 256 KB a second. Argument: MB of the file."""
import os
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("scorer")
size, at = int(sys.argv[1]), 0
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for part in range(size):
    os.pread(file, 1 << 20, part << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_NORMAL)


def score():
    global at
    os.pread(file, 262144, at * 262144)
    at = (at + 1) % (size * 4)


vd_desk.serve(score, 40, 1)
