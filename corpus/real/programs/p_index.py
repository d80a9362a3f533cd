"""Twelve searches a second, each reads 24 posting lists of 128 KB of an index of 60 MB, which it has read before; from when /tmp/go exists (an alias
was changed) of another index of 400 MB."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
old, new, room = os.open("/data/lite.db", os.O_RDONLY), os.open("/data/map/data.mdb", os.O_RDONLY), bytearray(1 << 17)
for _ in range(2):
    for at in range(480):
        os.preadv(old, [room], at << 17)
for file in (old, new):
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def search():
    file, lists = (new, 3200) if os.path.exists("/tmp/go") else (old, 480)
    for _ in range(24):
        os.preadv(file, [room], random.randrange(lists) << 17)


pace.serve(search, interval=1 / 12)
