"""A dashboard answers 20 requests a second, each of which reads a block of 8 KB at random of the present quarter: 20 MB that it has read before. From when
/tmp/go exists it is the quarter before, 20 MB that nobody has read."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("dashboard")
table = os.open("/data/lite.db", os.O_RDONLY)
for piece in range(20):
    os.pread(table, 1 << 20, piece << 20)
os.posix_fadvise(table, 0, 0, os.POSIX_FADV_RANDOM)


def answer():
    first = 300 << 20 if os.path.exists("/tmp/go") else 0
    os.pread(table, 8192, first + random.randrange(20 * 128) * 8192)


vd_desk.serve(answer, 20, 2)
