"""Serves blocks of 8 KB at random out of the first MB of a file, which it has read twice before. Arguments: the file, the MB, the blocks
of a request, the requests a second."""
import os
import random
import sys

import pace

size, batch, rate = (int(value) for value in sys.argv[2:])
file = os.open(sys.argv[1], os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 8192, random.randrange(size * 128) * 8192), batch=batch, interval=1 / rate)
