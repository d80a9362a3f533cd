"""A web cache with its objects in a file of 620 MB: 25 requests a second, each sends eight objects of 64 KB at random, of the first 90 MB; from when
/tmp/go exists of all of it. It has read the file once."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("cachefile")
file, size = os.open("/data/map/data.mdb", os.O_RDONLY), 90
for at in [*range(620), *range(90)]:
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    global size
    if size == 90 and os.path.exists("/tmp/go"):
        size = 620
    for _ in range(8):
        os.pread(file, 65536, random.randrange(size * 16) << 16)


g_steady.serve(request, 25)
