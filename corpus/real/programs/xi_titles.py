"""Streams titles to viewers around the page cache: ten pieces of 256 KB a second, each at random."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("streamd")
file, room = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 1 << 18)
g_steady.serve(lambda: os.preadv(file, [room], random.randrange(2400) << 18), 10)
