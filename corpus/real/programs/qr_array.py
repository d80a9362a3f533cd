"""A small database on an array: ten requests a second around the page cache, each reads two blocks of 4 KB and writes one. Arguments: the device,
its MiB."""
import mmap
import os
import random
import sys

import g_steady

array, blocks = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), int(sys.argv[2]) * 256
room, block = mmap.mmap(-1, 4096), mmap.mmap(-1, 4096)
block[:] = os.urandom(4096)


def request():
    for _ in range(2):
        os.preadv(array, [room], random.randrange(blocks) * 4096)
    os.pwritev(array, [block], random.randrange(blocks) * 4096)


g_steady.serve(request, 10)
