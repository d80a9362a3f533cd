"""A store with a tree in one file, of which it has read the part in use before it begins: requests read pages of 8 KB at random in that part through the page
cache. Arguments: the file, the MB in use, requests a second, pages of each. Prints in each second clock, requests and ms of each with the wait."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("treestore")
PAGE, size, rate, each = 8192, int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
file = os.open(sys.argv[1], os.O_RDONLY)
for part in range(size):
    os.pread(file, 1 << 20, part << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(each):
        os.pread(file, PAGE, random.randrange(size * 128) * PAGE)


vd_desk.serve(request, rate)
