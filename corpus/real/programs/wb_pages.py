"""A server whose buffer pool misses: reads pages of 16 KB around the page cache for each request. Arguments: requests a second, pages of each."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("pageserver")
rate, pages = int(sys.argv[1]), int(sys.argv[2])
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 16384) for _ in range(2)]


def request():
    block = room.pop()
    for _ in range(pages):
        os.preadv(file, [block], random.randrange(25000) * 16384)
    room.append(block)


vd_desk.serve(request, rate, 2)
