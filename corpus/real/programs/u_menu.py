"""Shows dishes, eight requests in a second of 12 pages each, at random among MB of a file that it has read once. Argument: the MB."""
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("menud")
size, file = int(sys.argv[1]), os.open("/data/lite.db", os.O_RDONLY)
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def show():
    for _ in range(12):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


pace.serve(show, interval=1 / 8)
