"""A stream join that answers 20 records a second, each with 8 lookups of 16 KB in its state of 500 MB. All state has been read once at its start. The join
looks at the latest 40 MB; from when /tmp/go exists, at all of it. Argument: the file. Prints clock, records and ms of one."""
import os
import random
import sys

import pace

BLOCK, ALL, LATEST = 16384, 500 << 20, 40 << 20
state = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(state, 0, 0, os.POSIX_FADV_RANDOM)
for start in (0, ALL - LATEST, ALL - LATEST):
    for at in range(start, ALL, 1 << 20):
        os.pread(state, 1 << 20, at)


def record():
    first = 0 if os.path.exists("/tmp/go") else ALL - LATEST
    for _ in range(8):
        os.pread(state, BLOCK, first + random.randrange((ALL - first) // BLOCK) * BLOCK)


pace.serve(record)
