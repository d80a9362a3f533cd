"""Application workers with a large heap: each request uses some pages of it at random. Arguments: MiB of the heap, pages of a request, requests a second. Prints clock,
requests, ms."""
import mmap
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("unicorn")
size, pages = int(sys.argv[1]) << 20, int(sys.argv[2])
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    heap[at] = 1


def request():
    for _ in range(pages):
        at = random.randrange(size // 4096) * 4096
        heap[at] = (heap[at] + 1) & 127


g_steady.serve(request, float(sys.argv[3]))
