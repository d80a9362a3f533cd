"""An edge server answers range requests of 32 KB for films, 10 a second; from when /tmp/go exists it has the whole slice of 1 MB around each range
read ahead (posix_fadvise) before it answers."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("rangecache")
file = os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def part():
    number = random.randrange(660)
    if os.path.exists("/tmp/go"):
        for piece in range(8):
            os.posix_fadvise(file, (number << 20) + (piece << 17), 1 << 17, os.POSIX_FADV_WILLNEED)
    os.pread(file, 32768, (number << 20) + random.randrange(32) * 32768)


vd_desk.serve(part, 10)
