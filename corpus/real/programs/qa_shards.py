"""A search node answers 12 queries a second, each reads ten blocks of 4 KB at random of its copies of some shards: 150 MB of a file, which were read before.
From when /tmp/go exists the queries come for other shards that it holds, 150 MB further on in the file. Argument: the file."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("searchnode")
index = os.open(sys.argv[1], os.O_RDONLY)
for at in range(150):
    os.pread(index, 1 << 20, at << 20)
os.posix_fadvise(index, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    first = 350 << 8 if os.path.exists("/tmp/go") else 0
    for _ in range(10):
        os.pread(index, 4096, first + random.randrange(150 << 8) << 12)


g_steady.serve(query, 12)
