"""A trainer takes 40 batches of 512 KB a second in the order of its set, epoch after epoch: 80 MB, and MB from when /tmp/go exists (the set was extended).
Argument: the MB."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("trainloop")
data, at = os.open("/data/map/data.mdb", os.O_RDONLY), 0


def batch():
    global at
    for _ in range(8):
        os.pread(data, 65536, at)
        at += 65536
    if at >= (int(sys.argv[1]) if os.path.exists("/tmp/go") else 80) << 20:
        at = 0


for _ in range(500):
    batch()
g_steady.serve(batch, 40)
