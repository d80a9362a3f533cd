"""Appends 20 blocks of 8 KB a second to a volume, around the page cache. Arguments: the device, its MiB."""
import mmap
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("ingestd")
volume, blocks, at = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), int(sys.argv[2]) * 128, 0
block = mmap.mmap(-1, 8192)
block[:] = os.urandom(8192)


def append():
    global at
    os.pwritev(volume, [block], at % blocks * 8192)
    at += 1


g_steady.serve(append, 20)
