"""A search node: each search reads some postings of 4 KB at random places of the first MB of a file, through the page cache. Arguments: the file, the MB,
postings of a search, searches a second."""
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def search():
    for _ in range(int(sys.argv[3])):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


pace.serve(search, interval=1 / float(sys.argv[4]))
