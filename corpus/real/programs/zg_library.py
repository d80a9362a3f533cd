"""The search of a photo library: 15 requests a second, each reads blocks of 4 KB at random of the first MB of its index; `warm` reads the index twice
before. Arguments: the index, the MB, the blocks, `warm` or `new`."""
import os
import random
import sys

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("photosearch")
index, size, blocks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if sys.argv[4] == "warm":
    h_hot.Hot(index, size)
file = os.open(index, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def search():
    for _ in range(blocks):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


vd_desk.serve(search, 15, 3)
