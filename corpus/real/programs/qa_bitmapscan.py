"""A database answers eight queries a second, each from ten pages of a table on a volume that is far away, read around the page cache: all ten are asked for
at once, and one after the other from when /tmp/go exists (effective_io_concurrency is 0). Argument: the device."""
import concurrent.futures
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("heapfetch")
device, rooms = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 4096) for _ in range(10)]
pool = concurrent.futures.ThreadPoolExecutor(10)


def read(room):
    os.preadv(device, [room], random.randrange(25000) << 12)


def query():
    for _ in map(read, rooms) if os.path.exists("/tmp/go") else pool.map(read, rooms):
        pass


g_steady.serve(query, 8)
