"""Looks up ten vouchers a second: 8 KB each, somewhere in 600 MB that are not cached."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("voucherd")
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 8192, random.randrange(70000) * 8192), interval=0.1)
