"""A server of files: RATE requests a second, each reads BLOCKS blocks of KB at random among the first HOT MB of its store, and from when /tmp/go
exists among WIDE MB from START MB on. At first it reads WARM MB of the store, and the HOT part twice if WARM is not 0.
Arguments: name, WARM, HOT, START, WIDE, BLOCKS, KB, RATE. Prints clock, requests and ms of each, once a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
warm, hot, start, wide, blocks, kb, rate = map(int, sys.argv[2:9])
store = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(store, 0, 0, os.POSIX_FADV_RANDOM)
for part in range(warm):
    os.pread(store, 1 << 20, part << 20)
for part in 2 * list(range(hot)) if warm else []:
    os.pread(store, 1 << 20, part << 20)
size = kb << 10


def request():
    first, width = (start, wide) if os.path.exists("/tmp/go") else (0, hot)
    for _ in range(blocks):
        os.pread(store, size, (first << 20) + random.randrange((width << 10) // kb) * size)


g_steady.serve(request, rate)
