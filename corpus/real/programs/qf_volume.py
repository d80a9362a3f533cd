"""A block catalogue: each request opens a device, reads 12 random blocks of 16 KB of its first 2 MB through the page cache, and closes it.
Arguments: the device, requests a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("blockcat")


def request():
    device = os.open(sys.argv[1], os.O_RDONLY)
    os.posix_fadvise(device, 0, 0, os.POSIX_FADV_RANDOM)
    for _ in range(12):
        os.pread(device, 16384, random.randrange(128) << 14)
    os.close(device)


g_steady.serve(request, int(sys.argv[2]))
