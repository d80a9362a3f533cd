"""A shop reads 60 blocks of 32 KB at random for each of 20 pages a second, of the MB of one language, that it has read before; from when /tmp/go
exists of those of three languages. Arguments: MB of one, MB of all."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("storefrontd")
one, every = int(sys.argv[1]), int(sys.argv[2])
file, room = os.open("/data/lite.db", os.O_RDONLY), bytearray(1 << 15)
for _ in range(2):
    for at in range(one):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def page():
    size = every if os.path.exists("/tmp/go") else one
    for _ in range(60):
        os.preadv(file, [room], random.randrange(size * 32) << 15)


g_steady.serve(page, 20)
