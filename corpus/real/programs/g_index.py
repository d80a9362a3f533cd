"""The index of an object store: a request looks up some blocks of 4 KB at random among the first MB of a file, which it has read twice.
Arguments: the file, the MB, lookups of a request, requests a second."""
import os
import random
import sys

import g_steady

size, batch, rate = (int(value) for value in sys.argv[2:])
file = os.open(sys.argv[1], os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def look_up():
    for _ in range(batch):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


g_steady.serve(look_up, rate)
