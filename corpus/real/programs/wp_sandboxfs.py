"""Serves pieces of 64 KB of a volume, ten a second, one after the other around the page cache. Each is one read, and from when /tmp/go exists 16 reads of 4 KB, as
a file system shared with a sandbox sends them without a cache of its own. Argument: the device, of 100 MB."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("templated")
volume, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536)


def piece():
    size = 4096 if os.path.exists("/tmp/go") else 65536
    place = random.randrange(1600) << 16
    for at in range(place, place + 65536, size):
        os.preadv(volume, [memoryview(room)[:size]], at)


g_steady.serve(piece, 10)
