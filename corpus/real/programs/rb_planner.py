"""The planner of a query engine that plans a query every 0.4 s: it reads the manifests of a table one after the other, 4 KB each at random places of a
file. A plan has 4 manifests, and 200 from when /tmp/go exists. Argument: the file. Prints clock, plans and ms of one."""
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("coordinator")
table = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(table, 0, 0, os.POSIX_FADV_RANDOM)


def plan():
    for _ in range(200 if os.path.exists("/tmp/go") else 4):
        os.pread(table, 4096, random.randrange(550 << 8) * 4096)


pace.serve(plan, interval=0.4)
