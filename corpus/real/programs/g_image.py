"""A small virtual machine's disk: 12 requests a second of 4 KB on an image of 32 MB, around the page cache; each fifth is a write, synced.
Argument: the image."""
import mmap
import os
import random
import sys

import g_steady

with open(sys.argv[1], "wb") as new:
    for _ in range(32):
        new.write(os.urandom(1 << 20))
    os.fsync(new.fileno())
file, room, count = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), mmap.mmap(-1, 4096), 0


def request():
    global count
    count, at = count + 1, random.randrange(8192) * 4096
    if count % 5:
        os.preadv(file, [room], at)
    else:
        os.pwritev(file, [room], at)
        os.fdatasync(file)


g_steady.serve(request, 12)
