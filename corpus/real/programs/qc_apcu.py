"""PHP with a cache of objects in shared memory: 15 pages a second, each of which uses 150 pages of it at random. At first 120 MB of it are in use; from when
/tmp/go exists each page stores new entries, 20 MB a second, up to so many MB. Argument: the MB."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("php-apcu")
most, used = int(sys.argv[1]), 0
cache = mmap.mmap(-1, most << 20)


def store(count):
    global used
    for _ in range(min(count, most - used)):
        cache[used << 20 : used + 1 << 20] = bytes(b"a") * (1 << 20)
        used += 1


def page():
    if os.path.exists("/tmp/go"):
        store(random.choice((1, 1, 2)))
    for _ in range(150):
        cache[random.randrange(used << 8) << 12] = 98


store(120)
g_steady.serve(page, 15)
