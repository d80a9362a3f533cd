"""A search node: each query reads a page of the term dictionary and some postings at random, among MB that were read before. From when /tmp/go
exists it builds facets in its heap, 6 MB a second up to MB. Arguments: MB, postings of a query, queries a second, MB of facets."""
import os
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
size, reads, rate, most = (int(value) for value in sys.argv[1:])
index = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(index, 1 << 20, at << 20)
os.posix_fadvise(index, 0, 0, os.POSIX_FADV_RANDOM)
facets, began = [], None


def query():
    global began
    if most and began is None and os.path.exists("/tmp/go"):
        began = time.time()
    while began and len(facets) < min(most, (time.time() - began) * 6):
        facets.append(bytearray(b"f") * (1 << 20))
    os.pread(index, 4096, random.randrange(256) * 4096)
    for _ in range(reads):
        os.pread(index, 4096, random.randrange(size * 256) * 4096)


g_steady.serve(query, rate)
