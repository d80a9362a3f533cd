"""Writes a file, maps it, and touches random pages of it for each request. Arguments: file, MiB, requests a second, pages of each, name."""
import mmap
import os
import random
import sys

import g_steady

path, size, rate, pages = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[5])
with open(path, "wb") as file:
    block = os.urandom(1 << 20)
    for _ in range(size):
        file.write(block)
    file.flush()
    os.fsync(file.fileno())
with open(path, "rb") as file:
    shelf = mmap.mmap(file.fileno(), size << 20, access=mmap.ACCESS_READ)
shelf.madvise(mmap.MADV_RANDOM)
for _ in range(2):
    for at in range(0, size << 20, 4096):
        shelf[at]


def request():
    for _ in range(pages):
        shelf[random.randrange(size << 8) * 4096]


g_steady.serve(request, rate)
