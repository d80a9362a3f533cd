"""Looks up 100 vectors a second in a mapped table of 60 MB that is in memory; from when /tmp/go exists, in the table of the next model."""
import mmap
import os
import random

import pace

SIZE = 60 << 20


def table(name):
    with open(name, "rb") as file:
        pages = mmap.mmap(file.fileno(), SIZE, access=mmap.ACCESS_READ)
    pages.madvise(mmap.MADV_RANDOM)
    return pages


with open("/data/lite.db", "rb", 0) as file:
    for _ in range(60):
        file.read(1 << 20)
old, new = table("/data/lite.db"), table("/data/map/data.mdb")


def vector():
    pages = new if os.path.exists("/tmp/go") else old
    at = random.randrange(SIZE // 512) * 512
    pages[at : at + 512]


pace.serve(vector, batch=5)
