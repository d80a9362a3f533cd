"""A database with a buffer pool of its own: 20 queries a second look at 60 pages each at random in the part of the pool that is filled. When /tmp/go exists the
pool is made larger online, and fills at 20 MB a second. Arguments: MB of the pool, MB of it after that. Prints in each second clock, queries and ms of each with
the wait."""
import mmap
import os
import random
import sys
import threading
import time

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("mysqld")
PAGE = 16384
small, large = int(sys.argv[1]), int(sys.argv[2])
pool, content, filled = mmap.mmap(-1, large << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), os.urandom(1 << 20), 0


def fill(size, pause):
    global filled
    while filled < size:
        pool[filled << 20 : (filled + 1) << 20] = content
        filled += 1
        time.sleep(pause)


def resize():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    fill(large, 0.05)


def query():
    pages = (filled << 20) // PAGE
    for _ in range(60):
        pool[random.randrange(pages) * PAGE + 100]


fill(small, 0)
threading.Thread(target=resize, daemon=True).start()
vd_desk.serve(query, 20, 2)
