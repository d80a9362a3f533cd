"""Answers 20 searches a second, each of which touches 10 pages at random of an index that is mapped, the first MB of a file. Argument: the MB."""
import mmap
import os
import random
import sys

import pace

size = int(sys.argv[1]) << 20
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(0, size, 1 << 20):
        os.pread(file, 1 << 20, at)
index = mmap.mmap(file, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
index.madvise(mmap.MADV_RANDOM)


def search():
    for _ in range(10):
        index[random.randrange(size)]


pace.serve(search)
