"""Runs code of the files in /data/opt, which it maps executable: each of 10 requests a second needs 25 pages at random."""
import mmap
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("gateway")
code = []
for path in sorted(os.listdir("/data/opt")):
    with open(f"/data/opt/{path}", "rb") as file:
        size = os.fstat(file.fileno()).st_size
        text = mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    for _ in range(2):
        for at in range(0, size, 1 << 20):
            text[at : at + (1 << 20) : 4096]
    code += [(text, at) for at in range(0, size, 4096)]


def call():
    for _ in range(25):
        text, at = random.choice(code)
        text[at]


vd_desk.serve(call, 10, 1)
