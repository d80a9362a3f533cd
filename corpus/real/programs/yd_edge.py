"""An edge cache: ten requests a second, each reads eight blocks at random of the objects of its customers, MB that it has read before; from when
/tmp/go exists, of as many MB of other customers' objects. Arguments: the MB, and where the others begin, in MB."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("edgecached")
size, other = (int(value) for value in sys.argv[1:])
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
first = 0


def request():
    global first
    if not first and os.path.exists("/tmp/go"):
        first = other * 256
    for _ in range(8):
        os.pread(file, 4096, (first + random.randrange(size * 256)) * 4096)


g_steady.serve(request, 10)
