"""A vector search reads 40 random vectors of 4 KB a second from an index of 600 MB. From when /tmp/go exists it advises the kernel before
each of them that it will need the 256 KB around it (POSIX_FADV_WILLNEED)."""
import os
import random

import pace

file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
AREA = 262144


def vector():
    at = random.randrange(140000) * 4096
    if os.path.exists("/tmp/go"):
        os.posix_fadvise(file, at // AREA * AREA, AREA, os.POSIX_FADV_WILLNEED)
    os.pread(file, 4096, at)


pace.serve(vector, batch=2)
