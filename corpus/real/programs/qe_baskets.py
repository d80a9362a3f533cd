"""An analysis of collisions reads ten baskets of 8 KB for each of 12 clusters of events a second, from a remote volume and around the page cache: all ten at once
through the cache of its tree, and one after the other from when /tmp/go exists (that cache is switched off). Argument: the device."""
import mmap
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("rootana")
device, rooms, pool = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 8192) for _ in range(10)], ThreadPoolExecutor(10)


def basket(room):
    os.preadv(device, [room], random.randrange(15000) * 8192)


def cluster():
    if os.path.exists("/tmp/go"):
        for room in rooms:
            basket(room)
    else:
        list(pool.map(basket, rooms))


g_steady.serve(cluster, 12)
