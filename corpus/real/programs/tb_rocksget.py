"""A task of a stream job whose keyed state is larger than its memory: for each event it gets two blocks of 4 KB of the state, at random, from a file
on the local disk. Prints in each second: clock, events, ms of one. Arguments: the file, its MB, events a second."""
import os
import random
import sys

import qs_query

qs_query.name("flink-task")
blocks, rate = int(sys.argv[2]) * 256, int(sys.argv[3])
state = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(state, 0, 0, os.POSIX_FADV_RANDOM)


def event():
    for _ in range(2):
        os.pread(state, 4096, random.randrange(blocks) * 4096)


qs_query.serve(event, rate)
