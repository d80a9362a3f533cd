"""Serves 150 pictures of 24 KB a second at random from a file: the first 110 MB of it are the usual size of each picture, and from when /tmp/go exists the
browsers ask for all sizes, 640 MB. It has read all sizes once, and the usual ones three times."""
import os
import random

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("picserve")
file = os.open("/data/map/data.mdb", os.O_RDONLY)
for size in (640, 110, 110):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def picture():
    os.pread(file, 24576, random.randrange(640 if os.path.exists("/tmp/go") else 110) * (1 << 20) + random.randrange(42) * 24576)


pace.serve(picture, batch=6, interval=0.04)
