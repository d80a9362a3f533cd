"""Sends parts of packages of a pool to clients that ask at random, by three threads: blocks of 8 KB among the packages that are in demand, which it has read before;
when /tmp/go exists, among those of the new release. Arguments: name, requests a second, reads of each, MB of the old ones, first MB and MB of the new ones."""
import os
import random
import sys

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
rate, reads, old, first, new = map(int, sys.argv[2:7])
pool = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(old):
        os.pread(pool, 1 << 20, at << 20)
os.posix_fadvise(pool, 0, 0, os.POSIX_FADV_RANDOM)
state = {"released": False}


def request():
    if not state["released"] and os.path.exists("/tmp/go"):
        state["released"] = True
    begin, size = (first, new) if state["released"] else (0, old)
    for _ in range(reads):
        os.pread(pool, 8192, (begin << 20) + random.randrange(size * 128) * 8192)


quokka_tally.serve(request, rate, 3)
