"""Answers ten queries a second from features in a mapped file: two pages at random for each. A new release, from when /tmp/go exists, maps the file
anew and asks for huge pages (MADV_HUGEPAGE) instead of advising that it reads at random."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("featured")
file = os.open("/data/lite.db", os.O_RDONLY)
features = mmap.mmap(file, 0, prot=mmap.PROT_READ)
features.madvise(mmap.MADV_RANDOM)
huge = False


def query():
    global features, huge
    if not huge and os.path.exists("/tmp/go"):
        features = mmap.mmap(file, 0, prot=mmap.PROT_READ)
        features.madvise(mmap.MADV_HUGEPAGE)
        huge = True
    for _ in range(2):
        features[random.randrange(135000) * 4096]


g_steady.serve(query, 10)
