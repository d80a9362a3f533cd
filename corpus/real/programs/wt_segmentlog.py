"""Writes a segment of 256 KB in place to a block device, through the page cache, four times a second, and syncs it. Arguments: the device, its MiB."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("segmentlogd")
volume, places = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) * 4
segment = os.urandom(1 << 18)


def store():
    os.pwrite(volume, segment, random.randrange(places) << 18)
    os.fdatasync(volume)


g_steady.serve(store, 4)
