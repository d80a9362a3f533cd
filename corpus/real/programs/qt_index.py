"""An index of a service, in a file: each of so many requests a second reads blocks of 4 KB at random among its first MB, which were read so many times
before. Prints in each second clock, requests and ms of each. Arguments: the MB, the times read before, the requests, the blocks."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("indexer")
size, times, rate, blocks = (int(value) for value in sys.argv[1:])
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(times):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(blocks):
        os.pread(file, 4096, random.randrange(size << 8) << 12)


g_steady.serve(request, rate)
