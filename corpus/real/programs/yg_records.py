"""Serves time series from an array: ten requests a second, each of 64 KB around the page cache. It is one read, and from when /tmp/go exists one read of
4 KB for each of 16 records."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("thredds")
array, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536)
view = memoryview(room)


def series():
    first = random.randrange(500 << 4) << 16
    if not os.path.exists("/tmp/go"):
        os.preadv(array, [room], first)
        return
    for record in range(16):
        os.preadv(array, [view[record * 4096 : record * 4096 + 4096]], first + record * 4096)


g_steady.serve(series, 10)
