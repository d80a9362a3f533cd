"""A small agent of the system: 25 answers a second, each from four pages at random places of the first 60 MB of a file, through the page cache. It
has read all of them before. Argument: the file."""
import os
import random
import sys

import g_steady

base = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)
for at in range(60):
    os.pread(base, 1 << 20, at << 20)


def answer():
    for _ in range(4):
        os.pread(base, 4096, random.randrange(15360) * 4096)


g_steady.serve(answer, 25)
