"""Answers requests that arrive at random: each reads blocks of 8 KB at random from a part of a database file, by three threads.
Arguments: name, requests a second, reads of each, first MB, MB, `warm` to read the part before, `steady` if they arrive evenly."""
import os
import random
import sys

import g_steady
import quokka_tally

name, rate, reads, first, size = sys.argv[1], *map(int, sys.argv[2:6])
with open("/proc/self/comm", "w") as comm:
    comm.write(name)
base = os.open("/data/lite.db", os.O_RDONLY)
if "warm" in sys.argv:
    for _ in range(2):
        for at in range(first, first + size):
            os.pread(base, 1 << 20, at << 20)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(reads):
        os.pread(base, 8192, (first << 20) + random.randrange(size * 128) * 8192)


if "steady" in sys.argv:
    g_steady.serve(request, rate)
quokka_tally.serve(request, rate, 3)
