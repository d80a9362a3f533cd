"""Serves lists of recent orders, eight a second, each of 40 rows. They lie together in the first MB of a table, which were read before; from when /tmp/go exists
they are asked for in a new table, where each lies somewhere in 600 MB. Arguments: the table, the MB, the new table."""
import os
import random
import sys

import g_steady
import h_hot

with open("/proc/self/comm", "w") as comm:
    comm.write("ordersdb")
together = h_hot.Hot(sys.argv[1], int(sys.argv[2]))
spread = os.open(sys.argv[3], os.O_RDONLY)
os.posix_fadvise(spread, 0, 0, os.POSIX_FADV_RANDOM)


def listed():
    if not os.path.exists("/tmp/go"):
        return together.read(40)
    for _ in range(40):
        os.pread(spread, 4096, random.randrange(600 * 256) << 12)


g_steady.serve(listed, 8)
