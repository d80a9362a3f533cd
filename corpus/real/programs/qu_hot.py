"""A table space that the page cache holds: reads the first MiB of a file once, and then in each request some of its pages of 4 KB at random. Prints clock,
requests and ms of each with the wait. Arguments: the file, MiB, requests a second, pages of each."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("tablespace")
file, size, rate, pages = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
for part in range(size):
    os.pread(file, 1 << 20, part << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(pages):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


vd_desk.serve(request, rate, 2)
