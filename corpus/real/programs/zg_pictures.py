"""A photo server for picture frames that show pictures in random order: 12 requests a second, each of 16 pieces of 128 KB of an album of MB, that it has
read before. From when /tmp/go exists the album is of another size. Arguments: the MB, the MB then."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("photoserver")
first, then = int(sys.argv[1]) * 8, int(sys.argv[2]) * 8
album = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for piece in range(first):
        os.pread(album, 131072, piece << 17)


def show():
    pieces = then if os.path.exists("/tmp/go") else first
    for _ in range(16):
        os.pread(album, 131072, random.randrange(pieces) << 17)


vd_desk.serve(show, 12, 3)
