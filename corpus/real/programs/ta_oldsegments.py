"""A broker that hands out old segments to a consumer that is behind: blocks of 256 KB from any place of a file, around the cache. Arguments: file, MiB
of it, blocks a second. Prints in each second clock, blocks and ms of each."""
import mmap
import os
import random
import sys

import g_steady

open("/proc/self/comm", "w").write("broker")
file, size = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2])
block = mmap.mmap(-1, 262144)
g_steady.serve(lambda: os.preadv(file, [block], random.randrange(size * 4 - 1) << 18), float(sys.argv[3]))
