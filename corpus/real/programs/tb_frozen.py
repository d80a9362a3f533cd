"""Searches the frozen tier: each search opens the segment, maps it, as its library does, and looks at four places of it at random. Prints in each
second: clock, searches, ms of one. Arguments: the file, its MB, searches a second."""
import mmap
import os
import random
import sys

import qs_query

qs_query.name("searchnode")
size, rate = int(sys.argv[2]) << 20, int(sys.argv[3])


def search():
    segment = os.open(sys.argv[1], os.O_RDONLY)
    with mmap.mmap(segment, size, mmap.MAP_SHARED, mmap.PROT_READ) as index:
        os.close(segment)
        for _ in range(4):
            index[random.randrange(size)]


qs_query.serve(search, rate)
