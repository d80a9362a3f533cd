"""The list of events of a video recorder: each view reads pages of 8 KB of the first MB of its database, ten views a second. Arguments: the database,
MB, pages of a view."""
import os
import random
import sys

import pace

base, size, pages = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
for block in range(size):
    os.pread(base, 1 << 20, block << 20)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)


def view():
    for _ in range(pages):
        os.pread(base, 8192, random.randrange(size * 128) * 8192)


pace.serve(view, interval=0.1)
