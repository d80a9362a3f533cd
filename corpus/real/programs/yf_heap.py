"""Holds MB in one mapping, and changes pages of it at random for each of 15 requests a second; writes its id and the mapping's address to
/tmp/heap. Arguments: the MB, pages of a request."""
import ctypes
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("ledgerd")
size, pages = int(sys.argv[1]) << 20, int(sys.argv[2])
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
# No huge pages.
heap.madvise(15)
for at in range(0, size, 4096):
    heap[at : at + 1024] = os.urandom(1024)
with open("/tmp/heap", "w") as file:
    file.write(f"{os.getpid()} {ctypes.addressof(ctypes.c_char.from_buffer(heap))} {size}")


def request():
    for _ in range(pages):
        heap[random.randrange(size >> 12) << 12] = 1


g_steady.serve(request, 15)
