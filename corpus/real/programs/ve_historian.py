"""A historian answers queries for trends: each reads blocks of 16 KB from the newest MB of its archive, and as soon as /tmp/lastyear exists, from
older ones. Arguments: the archive, MB of the newest, MB of the older, blocks of a query."""
import os
import random
import sys

import pace

BLOCK = 16384
newest, older, blocks = int(sys.argv[2]) * 64, int(sys.argv[3]) * 64, int(sys.argv[4])
archive = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(archive, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    first, count = (newest, older) if os.path.exists("/tmp/lastyear") else (0, newest)
    for _ in range(blocks):
        os.pread(archive, BLOCK, (first + random.randrange(count)) * BLOCK)


for block in range(newest // 64):
    os.pread(archive, 1 << 20, block << 20)
pace.serve(query, interval=0.07)
