"""A store of values in memory: reads random pages of it for each request and changes one. Arguments: MB, requests a second, pages."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("kvstore")
size, rate, pages = (int(value) for value in sys.argv[1:4])
held = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
held.madvise(15)  # MADV_NOHUGEPAGE
for at in range(size):
    held[at << 20 : (at + 1) << 20] = os.urandom(1 << 20)


def request():
    for _ in range(pages):
        held[random.randrange(size << 8) * 4096]
    held[random.randrange(size << 8) * 4096] = random.randrange(256)


g_steady.serve(request, rate)
