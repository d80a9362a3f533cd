"""Answers queries over old segments, which are too many to be cached: each reads three blocks of 8 KB at random from a file. Prints in each second:
clock, queries, ms of one. Arguments: the file, its MB, queries a second."""
import os
import random
import sys

import qs_query

qs_query.name("historical")
blocks, rate = int(sys.argv[2]) * 128, int(sys.argv[3])
old = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(old, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    for _ in range(3):
        os.pread(old, 8192, random.randrange(blocks) * 8192)


qs_query.serve(query, rate)
