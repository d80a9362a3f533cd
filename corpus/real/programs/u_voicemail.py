"""Plays six messages of 48 KB a second, each somewhere in 600 MB that are not cached."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("voicemaild")
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 49152, random.randrange(12000) * 49152), interval=1 / 6)
