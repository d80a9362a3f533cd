"""A retrieval server answers 15 queries a second; each reads 10 pages of 4 KB at random among the vectors in a file, which it has read twice before.
Prints clock, queries and ms of each, every second. Arguments: the file, MB of vectors."""
import os
import random
import sys

import xd_watch

file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])


def setup():
    for _ in range(2):
        for at in range(size):
            os.pread(file, 1 << 20, at << 20)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    for _ in range(10):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


xd_watch.serve(setup, query, 15, "retrieval")
