"""Answers twelve queries a second from a mapped column file larger than memory: three pages at random for each. A new release, from when /tmp/go
exists, advises the kernel that the map is read in sequence (MADV_SEQUENTIAL)."""
import mmap
import os
import random

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("columnserver")
file = os.open("/data/lite.db", os.O_RDONLY)
column = mmap.mmap(file, 0, prot=mmap.PROT_READ)
column.madvise(mmap.MADV_RANDOM)
advised = False


def query():
    global advised
    if not advised and os.path.exists("/tmp/go"):
        column.madvise(mmap.MADV_SEQUENTIAL)
        advised = True
    for _ in range(3):
        column[random.randrange(140000) * 4096]


pace.serve(query, interval=1 / 12)
