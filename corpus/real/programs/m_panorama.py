"""Scales ten pictures a second, in a buffer of 1 MB each, with 25 MB of fonts. From when /tmp/go exists pictures are panoramas, of which it keeps
tiles for later, 4 MB more each second up to 90 MB."""
import mmap
import os

import pace

fonts = [bytearray(b"f") * 1048576 for _ in range(25)]
tiles = []


def scale():
    if len(tiles) < 230 and os.path.exists("/tmp/go"):
        tiles.append(bytearray(b"t") * 400000)
    with mmap.mmap(-1, 1 << 20) as picture:
        for at in range(0, 1 << 20, 4096):
            picture[at] = 1


pace.serve(scale, interval=0.1)
