"""A search of sequences in a mapped database: each hit leads to a region of 1 MB, which is gone over twice. Argument: the database."""
import random
import sys

import numpy

open("/proc/self/comm", "w").write("blastn")
base = numpy.memmap(sys.argv[1], mode="r", dtype="u1")
while True:
    at = random.randrange(base.size - (1 << 20))
    for _ in range(2):
        base[at : at + (1 << 20) : 4096].sum()
