"""A proxy of a package registry: answers 15 requests a second, each of which needs four packages of 16 KB out of those that clients use. It has read the first set
before; from when /tmp/go exists clients use the second set, which follows in the file. Arguments: the file, the MB of the first set, the MB of the second. Prints clock,
requests, ms."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("verdaccio")
first, second = int(sys.argv[2]) * 64, int(sys.argv[3]) * 64
with open(sys.argv[1], "rb", 0) as warm:
    for _ in range(first // 4):
        warm.read(65536)
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    new = os.path.exists("/tmp/go")
    for _ in range(4):
        package = first + random.randrange(second) if new else random.randrange(first)
        os.pread(file, 16384, package * 16384)


g_steady.serve(request, 15)
