"""Renders pages, twelve a second, from ten blocks of 4 KB each of templates, among the first MB of a file that it has read. When /tmp/go exists it
memoises what it rendered, up to so many MB. Arguments: the MB of the file, the MB memoised."""
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("pagerender")
size, most = map(int, sys.argv[1:])
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
memo = []


def page():
    for _ in range(10):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)
    if len(memo) < most * 2 and os.path.exists("/tmp/go"):
        memo.append(bytearray(b"p") * (1 << 19))


pace.serve(page, interval=1 / 12)
