"""Answers editors what has changed in a large work tree, three times a second: reads two blocks of a volume, one after the other and around the page cache,
and 40 of them (each folder of the tree) from when /tmp/go exists. Arguments: the volume, its MB."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("gitstatusd")
volume, blocks, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]) * 256, mmap.mmap(-1, 4096)


def status():
    for _ in range(40 if os.path.exists("/tmp/go") else 2):
        os.preadv(volume, [room], random.randrange(blocks) * 4096)


g_steady.serve(status, 3)
