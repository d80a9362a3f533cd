"""A cache of builds answers 20 requests a second, each with two blobs of 16 KB that it reads from its file around the page cache. Argument: the file."""
import mmap
import os
import random
import sys

import pace

file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
size, into = os.fstat(file).st_size // 16384, mmap.mmap(-1, 16384)


def blob():
    for _ in range(2):
        os.preadv(file, [into], random.randrange(size) * 16384)


pace.serve(blob, interval=0.05)
