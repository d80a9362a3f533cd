"""Answers requests at a steady rate, each with a row of 4 KB at random from a file, through the page cache. Arguments: the file, the MB of it that
are used, requests a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("rowserver")
file, rows = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) * 256
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
g_steady.serve(lambda: os.pread(file, 4096, random.randrange(rows) * 4096), float(sys.argv[3]))
