"""Serves 20 pages a second; each is put together from 8 blocks of 4 KB at random, out of the first MB of a file, which it has read before.
Argument: the MB."""
import os
import random
import sys

import pace

file, size = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1])
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def page():
    for _ in range(8):
        os.pread(file, 4096, random.randrange(size * 256) << 12)


pace.serve(page)
