"""A standby applies four batches of log a second, and each changes 30 pages of a remote volume. It reads them eight at a time before it needs
them, and one at a time from when /tmp/go exists. Argument: the volume."""
import concurrent.futures
import mmap
import os
import random
import sys
import threading

import g_steady

volume, own = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), threading.local()
pages = os.lseek(volume, 0, os.SEEK_END) // 8192
pool = concurrent.futures.ThreadPoolExecutor(8)


def page(at):
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 8192)
    os.preadv(volume, [own.room], at * 8192)


def batch():
    needed = [random.randrange(pages) for _ in range(30)]
    list(map(page, needed) if os.path.exists("/tmp/go") else pool.map(page, needed))


g_steady.serve(batch, 4)
