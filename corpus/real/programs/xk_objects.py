"""A service with 540 MB of objects in its memory answers 12 queries a second, each of 100 pages at random among the newest 100 MB; from when /tmp/go exists
among all of them."""
import mmap
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("objectd")
heap = mmap.mmap(-1, 540 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
heap.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(540 * 256):
    heap[page * 4096 : page * 4096 + 8] = random.randbytes(8)
for page in list(range(440 * 256, 540 * 256)) * 2:
    heap[page * 4096]


def query():
    oldest = 0 if os.path.exists("/tmp/go") else 440 * 256
    for _ in range(100):
        heap[random.randrange(oldest, 540 * 256) * 4096]


vd_desk.serve(query, 12, 1)
