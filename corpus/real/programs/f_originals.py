"""Serves originals of 16 KB at random out of 500 MB, that are never cached. Argument: how many a second."""
import os
import random
import sys

import pace

file = os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def original():
    at = random.randrange(30000) << 14
    os.pread(file, 1 << 14, at)
    os.posix_fadvise(file, at, 1 << 14, os.POSIX_FADV_DONTNEED)


pace.serve(original, interval=1 / float(sys.argv[1]), behind=0.2)
