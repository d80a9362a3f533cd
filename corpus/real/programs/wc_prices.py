"""Has mapped 100 MB of price lists, which it has read before, and touches 10 pages at random for each of 10 requests a second."""
import mmap
import os
import random

import wc_load

file = os.open("/data/map/data.mdb", os.O_RDONLY)
for _ in range(2):
    for at in range(100):
        os.pread(file, 1 << 20, at << 20)
lists = mmap.mmap(file, 100 << 20, prot=mmap.PROT_READ)
lists.madvise(mmap.MADV_RANDOM)
wc_load.serve(lambda: [lists[random.randrange(25600) * 4096] for _ in range(10)], 10, "prices")
