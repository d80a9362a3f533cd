"""A server whose code is large: a binary that it maps as executable and runs through once; each request then runs through places at random of it. Prints
in each second clock, requests and ms. Arguments: its name, the binary, MB, places of a request, requests a second."""
import mmap
import os
import random
import sys

import g_steady

comm, path, size, places, rate = sys.argv[1:6]
with open("/proc/self/comm", "w") as name:
    name.write(comm)
file, size = os.open(path, os.O_RDONLY), int(size) << 20
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
for at in range(0, size, 1 << 18):
    os.pread(file, 1 << 18, at)
code = mmap.mmap(file, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
for at in range(0, size, 4096):
    code[at]


def request():
    for _ in range(int(places)):
        code[random.randrange(size)]


g_steady.serve(request, float(rate))
