"""Answers 20 queries a second, each of five blocks that an index names, among 60 MB. From when /tmp/go exists the planner chooses for each
fourth query to scan 24 MB of a table of 580 MB, each time another part."""
import os
import random

import g_steady

rows = os.open("/data/lite.db", os.O_RDONLY)
for at in range(60):
    os.pread(rows, 1 << 20, at << 20)
os.posix_fadvise(rows, 0, 0, os.POSIX_FADV_RANDOM)
table, count = os.open("/data/lite.db", os.O_RDONLY), 0


def query():
    global count
    count += 1
    if count % 4 == 0 and os.path.exists("/tmp/go"):
        start = random.randrange(550)
        for at in range(24 * 4):
            os.pread(table, 1 << 18, (start << 20) + (at << 18))
    else:
        for _ in range(5):
            os.pread(rows, 4096, random.randrange(60 * 256) * 4096)


g_steady.serve(query, 20)
