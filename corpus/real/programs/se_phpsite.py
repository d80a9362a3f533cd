"""A PHP site: pages at a steady rate, each of which reads a few KB that are not cached from the disk. Arguments: the file, its MB, pages a second, KB of
a page. Prints clock, pages and ms of each once a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("lsphp")
file, size, rate, page = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20, float(sys.argv[3]), int(sys.argv[4]) << 10
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
g_steady.serve(lambda: os.pread(file, page, random.randrange(size // page) * page), rate)
