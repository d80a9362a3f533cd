"""Serves 400 blocks of 4 KB a second at random, out of the first MB of a file or disk, which it has read before. Arguments: the file, the MB."""
import os
import random
import sys

import pace

file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
pace.serve(lambda: os.pread(file, 4096, random.randrange(size * 256) * 4096), batch=20)
