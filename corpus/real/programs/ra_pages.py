"""A web tier that makes each page of blocks of a file, read at random through the page cache; it has read the file's part once before. Arguments: KB of a block, blocks of
a page, pages a second, FILE:MB, and optionally another FILE:MB that it reads instead once /tmp/switched exists. Prints clock, pages, ms."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("webapp")
block, blocks, rate = int(sys.argv[1]) << 10, int(sys.argv[2]), float(sys.argv[3])
parts = []
for name in sys.argv[4:6]:
    path, size = name.rsplit(":", 1)
    file = os.open(path, os.O_RDONLY)
    size = min(int(size) << 20, os.path.getsize(path))
    if not parts:
        warm = os.open(path, os.O_RDONLY)
        for at in range(0, size, 1 << 20):
            os.pread(warm, 1 << 20, at)
        os.close(warm)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    parts.append((file, size // block))
now = parts[0]


def page():
    global now
    if now is not parts[-1] and os.path.exists("/tmp/switched"):
        now = parts[-1]
    file, count = now
    for _ in range(blocks):
        os.pread(file, block, random.randrange(count) * block)


g_steady.serve(page, rate)
