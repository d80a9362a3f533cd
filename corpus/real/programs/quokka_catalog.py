"""A catalogue in files: reads pieces of 16 KB of the first MiB of a database, through the page cache; it has read them all before.
Arguments: the MiB, requests a second, pieces of each."""
import os
import random
import sys

import quokka_tally

size, rate, pieces = map(int, sys.argv[1:])
base = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(size):
        os.pread(base, 1 << 20, at << 20)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(pieces):
        os.pread(base, 16384, random.randrange(size * 64) * 16384)


quokka_tally.serve(request, rate)
