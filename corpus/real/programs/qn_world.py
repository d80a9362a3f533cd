"""A game server: ten ticks a second, each changes pages at random all over its world. From when the file GO exists, each tick also keeps KB more that it never
frees, and walks over them as over the rest. Arguments: the name it runs as, MB of the world, pages of a tick, KB kept by a tick (0: none), the file GO.
Prints in each second clock, ticks and ms of each."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, pages, kept, go = int(sys.argv[2]) << 20, int(sys.argv[3]), int(sys.argv[4]) << 10, sys.argv[5]


def area(length):
    part = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, length, 4096):
        part[at : at + 8] = b"entities"
    return part


each = kept or 1 << 20
parts = [area(each) for _ in range(size // each)]


def tick():
    if kept and os.path.exists(go):
        parts.append(area(each))
    for _ in range(pages):
        random.choice(parts)[random.randrange(each >> 12) << 12] = 7


g_steady.serve(tick, 10)
