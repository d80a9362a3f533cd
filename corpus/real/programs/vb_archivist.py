"""Reads two blocks at random of a file of 600 MB, 20 times a second, and keeps none of them in the cache."""
import os
import random

import pace

file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def read():
    for _ in range(2):
        at = random.randrange(140000) * 4096
        os.pread(file, 4096, at)
        os.posix_fadvise(file, at, 4096, os.POSIX_FADV_DONTNEED)


pace.serve(read)
