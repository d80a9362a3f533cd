"""A search server answers 15 queries a second: each reads 8 blocks of 4 KB of postings, in the first 110 MB of the index. From when /tmp/go exists (a release
sorts by fields that users choose) it also reads 20 blocks of the columns of those fields, another 420 MB. All of it was read before, the postings last."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("docvalues")
index = os.open("/data/lite.db", os.O_RDONLY)
for at in [*range(110, 530), *range(110), *range(110)]:
    os.pread(index, 1 << 20, at << 20)
os.posix_fadvise(index, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    for _ in range(8):
        os.pread(index, 4096, random.randrange(110 * 256) * 4096)
    if os.path.exists("/tmp/go"):
        for _ in range(20):
            os.pread(index, 4096, (110 + random.randrange(420)) * 1048576 + random.randrange(256) * 4096)


vd_desk.serve(query, 15, 3)
