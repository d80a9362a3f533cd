"""A console that shows the logs of builds: each request reads blocks of 16 KiB anywhere in the first MB of a file, which it has read through once. Prints
in each second clock, requests and ms. Arguments: the MB, blocks of a request, requests a second."""
import os
import random
import sys

import g_steady

size, blocks, rate = int(sys.argv[1]) << 20, int(sys.argv[2]), float(sys.argv[3])
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(0, size, 1 << 18):
    os.pread(file, 1 << 18, at)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def show():
    for _ in range(blocks):
        os.pread(file, 16384, random.randrange(size >> 14) << 14)


g_steady.serve(show, rate)
