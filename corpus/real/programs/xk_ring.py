"""A node of a ring serves 30 requests a second, each with eight objects of 64 KB at random among its own 150 MB; from when /tmp/go exists among 500 MB, its
own and those of the node that was taken away, of which it keeps a copy. It has read all of them before, its own last.
Its tables take 120 MB of memory."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("ringnode")
tables = bytearray(b"i") * (120 << 20)
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_SEQUENTIAL)
for size in (500, 150, 150):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    objects = (500 if os.path.exists("/tmp/go") else 150) * 16
    for _ in range(8):
        os.pread(file, 1 << 16, random.randrange(objects) << 16)


vd_desk.serve(request, 30, 3)
