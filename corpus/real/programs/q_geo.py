"""Finds places: 12 requests a second, with pauses that vary, read 12 blocks of 4 KB each at random among the first MB of a file that it has read
before. Argument: the MB."""
import os
import random
import sys

import h_open

file, size = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1])
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
h_open.serve(lambda: [os.pread(file, 4096, random.randrange(size * 256) << 12) for _ in range(12)], 12)
