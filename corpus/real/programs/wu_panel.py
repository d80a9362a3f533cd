"""The control panel of a VPS holds MB of sessions, and changes pages of them at random for each of 15 requests a second. Arguments: the MB, the pages."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("vpspanel")
size, pages = int(sys.argv[1]) << 20, int(sys.argv[2])
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
# No huge pages.
heap.madvise(15)
noise = os.urandom(1 << 20)
for at in range(0, size, 1 << 20):
    heap[at : at + (1 << 20)] = noise


def request():
    for _ in range(pages):
        heap[random.randrange(size >> 12) << 12] = 1


vd_desk.serve(request, 15)
