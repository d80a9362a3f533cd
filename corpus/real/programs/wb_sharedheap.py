"""Sessions in shared anonymous memory: each of 20 requests a second changes 20 of its pages. Argument: MB."""
import mmap
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sessiond")
size = int(sys.argv[1]) << 20
heap, block = mmap.mmap(-1, size), b"s" * 1048576
for _ in range(size >> 20):
    heap.write(block)


def request():
    for _ in range(20):
        heap[random.randrange(size)] = 1


g_steady.serve(request, 20)
