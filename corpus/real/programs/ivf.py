"""Holds vectors of MiB in memory and answers 20 searches a second, each of which looks at 20 of them at random. Argument: the MiB."""
import random
import sys

import pace

size = int(sys.argv[1])
vectors = [bytearray(random.randbytes(4096)) * 256 for _ in range(size)]


def search():
    return sum(vectors[random.randrange(size)][random.randrange(256) * 4096] for _ in range(20))


pace.serve(search)
