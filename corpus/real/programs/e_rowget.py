"""A store with a cache of its own, which it misses: reads a block of 8 KB at random, around the page cache. Arguments: the reads a second."""
import mmap
import os
import random
import sys

import pace

file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
block = mmap.mmap(-1, 8192)
pace.serve(lambda: os.preadv(file, [block], random.randrange(500 * 128) * 8192), interval=1 / float(sys.argv[1]))
