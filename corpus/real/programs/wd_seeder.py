"""Serves pieces from a mapped file: 8 random pages for each of 8 requests a second, under MADV_RANDOM; under MADV_SEQUENTIAL as soon as
FLAG exists. Arguments: file, its MiB, FLAG."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("seederd")
size, flag, hinted = int(sys.argv[2]) << 20, sys.argv[3], False
with open(sys.argv[1], "rb") as file:
    store = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
store.madvise(mmap.MADV_RANDOM)


def request():
    global hinted
    if not hinted and os.path.exists(flag):
        store.madvise(mmap.MADV_SEQUENTIAL)
        hinted = True
    for _ in range(8):
        store[random.randrange(size >> 12) << 12]


g_steady.serve(request, 8)
