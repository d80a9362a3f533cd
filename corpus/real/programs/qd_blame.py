"""A web view of repositories: three blames a second, each of which needs the contents of three files, one after the other and around the page cache, and of
30 when /tmp/go exists. Arguments: the volume, its MB."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("gitblame")
volume, blocks, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]) * 128, mmap.mmap(-1, 8192)


def blame():
    for _ in range(30 if os.path.exists("/tmp/go") else 3):
        os.preadv(volume, [room], random.randrange(blocks) * 8192)


g_steady.serve(blame, 3)
