"""A game server: ten ticks a second, each changes pages at random in its world of MB. From when /tmp/go exists it generates chunks ahead of the players:
each tick keeps KB more, up to a size. Arguments: MB of the world, KB of a tick, MB of the chunks."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("gameserver")
size, each, most = int(sys.argv[1]) << 20, int(sys.argv[2]) << 10, int(sys.argv[3]) << 20
world = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    world[at : at + 8] = b"chunkxyz"
chunks, kept = [], 0


def tick():
    global kept
    for _ in range(60):
        world[random.randrange(size >> 12) << 12] = 7
    if kept < most and os.path.exists("/tmp/go"):
        chunks.append(bytearray(b"c") * each)
        kept += each


g_steady.serve(tick, 10)
