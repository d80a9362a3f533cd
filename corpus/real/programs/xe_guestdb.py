"""The database inside a guest: five requests a second, each of three pages of 8 KB of the guest's disk, around the host's page cache. Argument:
the disk."""
import mmap
import os
import random
import sys

import g_steady

disk, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)


def request():
    for _ in range(3):
        os.preadv(disk, [room], random.randrange(500 << 7) << 13)


g_steady.serve(request, 5)
