"""A small service of a demo shop, whose binary of 40 MB is mapped; each request runs through 12 places of its first 24 MB. Prints in each second clock,
requests and ms. Arguments: its name, the binary, requests a second."""
import mmap
import os
import random
import sys

import g_steady

HOT = 24 << 20
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
file = os.open(sys.argv[2], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
for at in range(0, HOT, 1 << 18):
    os.pread(file, 1 << 18, at)
code = mmap.mmap(file, HOT, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
for at in range(0, HOT, 4096):
    code[at]


def request():
    for _ in range(12):
        code[random.randrange(HOT)]


g_steady.serve(request, float(sys.argv[3]))
