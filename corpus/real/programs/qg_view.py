"""A game server of ten ticks a second, each of which reads chunks of 4 KB at random places of the world's file, around its players: of the first MB of it, and
of more MB when /tmp/go exists. It has gone through all of the file before, and last through the first part. Arguments: the MB, those later, the chunks."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("viewserver")
file, chunks = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[3])
near, far = (min(int(size) << 20, os.fstat(file).st_size) >> 12 for size in sys.argv[1:3])
for size in (far, near, near):
    for at in range(0, size << 12, 1 << 20):
        os.pread(file, 1 << 20, at)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
seen = near


def tick():
    global seen
    if seen == near and os.path.exists("/tmp/go"):
        seen = far
    for _ in range(chunks):
        os.pread(file, 4096, random.randrange(seen) << 12)


g_steady.serve(tick, 10)
