"""A web shop reads pages of its catalogue, at random among the first MiB of a file, which it has read once. Arguments: MiB, reads in 50 ms."""
import os
import random
import sys

import pace

size, batch = int(sys.argv[1]) << 20, int(sys.argv[2])
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(0, size, 131072):
    os.pread(file, 131072, at)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 4096, random.randrange(size // 4096) * 4096), batch=batch)
