"""Holds the sessions of a web shop in memory: ten requests a second, each changes pages of 60 sessions at random. Argument: the MB."""
import mmap
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sessiond")
size = int(sys.argv[1]) << 20
held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    held[at : at + 8] = b"session1"


def request():
    for _ in range(60):
        held[random.randrange(size >> 12) << 12] = 7


g_steady.serve(request, 10)
