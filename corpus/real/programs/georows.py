"""Every half second, 60 random blocks of the first 100 MB of a file that another program has read into the cache."""
import os
import random

import pace

file = os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 4096, random.randrange(25600) * 4096), batch=60, interval=0.5)
