"""Serves twelve maps a second of four tiles of 12 KB each out of a mapped file. The mapping is advised as read at random
(MADV_RANDOM); from when /tmp/go exists it is not."""
import mmap
import os
import random

import g_steady

with open("/data/lite.db", "rb") as file:
    tiles = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
tiles.madvise(mmap.MADV_RANDOM)
released = False


def draw():
    global released
    if not released and os.path.exists("/tmp/go"):
        tiles.madvise(mmap.MADV_NORMAL)
        released = True
    for _ in range(4):
        start = random.randrange(len(tiles) // 12288) * 12288
        for page in range(3):
            tiles[start + page * 4096]


g_steady.serve(draw, 12)
