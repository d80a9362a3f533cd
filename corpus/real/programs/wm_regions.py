"""A game server loads chunks of 8 KB at random out of a world of 540 MB for players who explore it, 12 a second. From when /tmp/go exists it asks the kernel to
fetch the KB around each of them ahead. Argument: the KB."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("worldserver")
around = int(sys.argv[1]) << 10
world = os.open("/data/lite.db", os.O_RDONLY)
chunks = 540 << 7
os.posix_fadvise(world, 0, 0, os.POSIX_FADV_RANDOM)


def load():
    at = random.randrange(chunks) << 13
    if os.path.exists("/tmp/go"):
        os.posix_fadvise(world, at // around * around, around, os.POSIX_FADV_WILLNEED)
    os.pread(world, 8192, at)


vd_desk.serve(load, 12, 3)
