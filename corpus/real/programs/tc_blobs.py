"""Serves pieces of one large file: each request reads blocks of 4 KiB at random of its first MB. Prints in each second clock, requests and ms.
Arguments: its name, the file, MB, blocks of a request, requests a second, and `warm` if it reads the part once before it serves."""
import os
import random
import sys

import g_steady

comm, path, size, blocks, rate = sys.argv[1:6]
with open("/proc/self/comm", "w") as name:
    name.write(comm)
file, pages = os.open(path, os.O_RDONLY), int(size) << 8
if sys.argv[6:] == ["warm"]:
    for _ in range(2):
        for at in range(0, pages << 12, 1 << 18):
            os.pread(file, 1 << 18, at)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(int(blocks)):
        os.pread(file, 4096, random.randrange(pages) << 12)


g_steady.serve(request, float(rate))
