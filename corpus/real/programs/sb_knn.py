"""Nearest neighbours in the quantized vectors of an index: each query reads pages of 4 KB at random from a file that it has written and read twice before.
Prints in each second: clock, queries, ms of one. Arguments: the file, its MB, pages of a query, queries a second."""
import os
import random
import sys

import qs_query

qs_query.name("elasticsearch")
size, pages = int(sys.argv[2]), int(sys.argv[3])
file = qs_query.write(sys.argv[1], size)
qs_query.warm(file, size)


def query():
    for _ in range(pages):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)


qs_query.serve(query, int(sys.argv[4]))
