"""A forum: keeps MB of objects in its memory, and eight times a second a request touches 60 pages of them at random.
Argument: MB. Prints clock, requests and ms of each, once a second."""
import mmap
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("unicorn")
size = int(sys.argv[1]) << 20
heap = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    heap[at : at + 8] = b"objects!"


def request():
    for _ in range(60):
        heap[random.randrange(size)] = 7


g_steady.serve(request, 8)
