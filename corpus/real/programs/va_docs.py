"""A document store: each request reads a block of the index and three documents among the MB that were read before. Arguments: MB, requests a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("docstore")
size = int(sys.argv[1])
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def find():
    os.pread(file, 4096, random.randrange(64) * 4096)
    for _ in range(3):
        os.pread(file, 8192, random.randrange(size * 128) * 8192)


g_steady.serve(find, float(sys.argv[2]))
