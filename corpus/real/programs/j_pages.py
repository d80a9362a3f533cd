"""A storage engine with a pool of its own, which it misses: reads pages of 8 KB of a data file at random, around the page cache. Argument: the
pages a second."""
import mmap
import os
import random
import sys

import g_steady

file = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT)
pages = os.fstat(file).st_size // 8192
room = mmap.mmap(-1, 8192)
g_steady.serve(lambda: os.preadv(file, [room], random.randrange(pages) * 8192), float(sys.argv[1]))
