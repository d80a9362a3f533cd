"""Rates the records of calls: for each batch it reads the tables of prices from the first to the last, 16 MB a second in pieces of 64 KB, and begins again. They
have so many MB, which were read before, and from when /tmp/go exists so many. Arguments: both."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("ratingd")
before, later = (int(value) * 16 for value in sys.argv[1:])
tables, at = os.open("/data/lite.db", os.O_RDONLY), 0
for piece in range(before):
    os.pread(tables, 1 << 16, piece << 16)


def rate():
    global at
    os.pread(tables, 1 << 16, at << 16)
    at = (at + 1) % (later if os.path.exists("/tmp/go") else before)


pace.serve(rate, batch=8, interval=1 / 32)
