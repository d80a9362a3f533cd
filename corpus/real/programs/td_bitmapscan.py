"""Answers three queries a second as a bitmap heap scan does: each needs 24 pages that nobody has read yet, at random places of a device. It asks for all of
them in advance, as with effective_io_concurrency = 200; when /tmp/go exists it is 0, and each page is waited for before the next is asked for. Prints clock,
queries and ms of a query each second. Arguments: the device or file, its MB."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("bitmapscan")
heap = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(heap, 0, 0, os.POSIX_FADV_RANDOM)
pages = list(range(int(sys.argv[2]) * 256))
random.Random(3).shuffle(pages)


def query():
    wanted = sorted(pages.pop() << 12 for _ in range(24))
    if not os.path.exists("/tmp/go"):
        for at in wanted:
            os.posix_fadvise(heap, at, 4096, os.POSIX_FADV_WILLNEED)
    for at in wanted:
        os.pread(heap, 4096, at)


g_steady.serve(query, 3)
