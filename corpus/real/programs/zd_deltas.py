"""A forge shows five objects of its packs a second, one at a time: for each it follows a chain of three deltas of 8 KB, one after the other and around the page
cache, and of 40 from when /tmp/go exists. Argument: the disk with the packs."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("git-cat-file")
pack = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
room = mmap.mmap(-1, 8192)


def show():
    for _ in range(40 if os.path.exists("/tmp/go") else 3):
        os.preadv(pack, [room], random.randrange(110 * 128) * 8192)


g_steady.serve(show, 5)
