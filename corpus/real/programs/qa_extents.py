"""A database reads a page of 16 KB for each of 12 queries a second, at random and around the page cache. From when /tmp/go exists (innodb_random_read_ahead)
four threads of it read for each query all of the extent of 1 MB, too, around the page cache; at most eight extents wait."""
import mmap
import os
import queue
import random
import threading

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("innodbd")
table, room, waiting = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384), queue.Queue()


def prefetch():
    extent = mmap.mmap(-1, 1 << 20)
    while True:
        os.preadv(table, [extent], waiting.get() << 20)


def query():
    page = random.randrange(480 << 6)
    if os.path.exists("/tmp/go") and waiting.qsize() < 8:
        waiting.put(page >> 6)
    os.preadv(table, [room], page << 14)


for _ in range(4):
    threading.Thread(target=prefetch, daemon=True).start()
g_steady.serve(query, 12)
