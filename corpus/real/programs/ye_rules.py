"""A ruler evaluates eight groups of rules a second; each group reads three blocks, at random among samples that are far larger than memory, and from when
/tmp/go exists twenty."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("alertrules")
samples = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(samples, 0, 0, os.POSIX_FADV_RANDOM)


def evaluate():
    for _ in range(20 if os.path.exists("/tmp/go") else 3):
        os.pread(samples, 4096, random.randrange(130000) * 4096)


vd_desk.serve(evaluate, 8, 3)
