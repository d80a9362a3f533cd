"""Reads rows at random in the first MB of a file, all of which it has read before; ten rows for each request. Arguments: the MB, requests a second."""
import os
import random
import sys

import pace

size, file = int(sys.argv[1]), os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(10):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


pace.serve(request, interval=1 / float(sys.argv[2]))
