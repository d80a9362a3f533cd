"""Serves three pages a second of 16 blocks of a volume each, read around the page cache by eight threads at once; from when /tmp/go exists
one after the other. Arguments: the disk, its MB."""
import concurrent.futures
import mmap
import os
import random
import sys
import threading

import g_steady

file, size, own = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]), threading.local()
pool = concurrent.futures.ThreadPoolExecutor(8)


def block(at):
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 4096)
    os.preadv(file, [own.room], at)


def page():
    places = [random.randrange(size * 256) * 4096 for _ in range(16)]
    list(map(block, places) if os.path.exists("/tmp/go") else pool.map(block, places))


g_steady.serve(page, 3)
