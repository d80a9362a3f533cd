"""A search node serves 10 queries a second; each reads six postings of 16 KB at random of a file of 500 MB, around the page cache."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("searchd")
index, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)


def query():
    for _ in range(6):
        os.preadv(index, [room], random.randrange(32000) << 14)


g_steady.serve(query, 10)
