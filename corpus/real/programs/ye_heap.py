"""A service with MB of objects in its memory answers requests, each of pages at random among all of them. Arguments: name, MB, pages, requests a second."""
import mmap
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, pages, rate = map(int, sys.argv[2:])
heap = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
heap.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(size * 256):
    heap[page * 4096 : page * 4096 + 8] = random.randbytes(8)


def query():
    for _ in range(pages):
        heap[random.randrange(size * 256) * 4096]


vd_desk.serve(query, rate, 2)
