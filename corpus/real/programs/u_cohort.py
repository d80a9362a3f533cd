"""Answers 15 requests a second, each by four reads one after another, at random among 90 MB of a file that it has read once."""
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("pricebook")
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(90):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def answer():
    for _ in range(4):
        os.pread(file, 4096, random.randrange(23040) * 4096)


pace.serve(answer, interval=1 / 15)
