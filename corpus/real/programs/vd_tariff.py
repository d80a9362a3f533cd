"""Reads blocks at random among the first MB of a file. Arguments: MB, requests/s, reads of each, KB of a block, times to read all before, MB from when
/tmp/go exists."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("tariffd")
size, rate, reads, block, passes, later = (int(value) for value in (*sys.argv[1:], sys.argv[1])[:6])
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for _ in range(passes):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)


def answer():
    among = later if later != size and os.path.exists("/tmp/go") else size
    for _ in range(reads):
        os.pread(file, block << 10, random.randrange((among << 10) // block) * (block << 10))


vd_desk.serve(answer, rate)
