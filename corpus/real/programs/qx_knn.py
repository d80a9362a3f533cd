"""Answers 20 queries a second, each of which looks at 40 places of vectors in memory; prints clock, queries and ms of each. Argument: MB of the
vectors."""
import random
import sys

import pace

size = int(sys.argv[1]) << 20
vectors = bytearray(b"v") * size


def query():
    for _ in range(40):
        vectors[random.randrange(size)]


pace.serve(query)
