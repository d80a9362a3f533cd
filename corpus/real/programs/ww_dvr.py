"""A server of a live channel: 12 requests a second, each for four pieces of 64 KB. Viewers watch the last minutes, 50 MB that are cached; from when /tmp/go
exists they go back to the beginning, 450 MB of older pieces."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("hlsorigin")
channel = os.open("/data/lite.db", os.O_RDONLY)
for at in range(500, 550):
    os.pread(channel, 1 << 20, at << 20)


def pieces():
    first, size = (0, 450) if os.path.exists("/tmp/go") else (500, 50)
    for _ in range(4):
        os.pread(channel, 65536, (first * 16 + random.randrange(size * 16)) * 65536)


g_steady.serve(pieces, 12)
