"""A mail server's search index: reads 4 KB at random among its first MiB, which it has read before, so many times a second (20 requests a
second). Arguments: MiB, reads in a request."""
import os
import random
import sys

import pace

file, size, each = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]), int(sys.argv[2])
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: [os.pread(file, 4096, random.randrange(size * 256) * 4096) for _ in range(each)])
