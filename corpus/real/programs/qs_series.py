"""Answers from an index of series in memory: each query touches so many of its pages at random. Prints in each second: clock, queries, ms of one.
Arguments: MB of the index, pages of a query, queries a second."""
import random
import sys

import qs_query

qs_query.name("influxd")
size, pages, rate = (int(value) for value in sys.argv[1:4])
index = bytearray(b"s") * (size * 1048576)
index[::4096] = b"t" * (size * 256)


def query():
    for _ in range(pages):
        index[random.randrange(size * 256) * 4096] = 117


qs_query.serve(query, rate)
