"""An out-of-core eigensolver: each of 20 steps a second multiplies a panel of 512 KB of a mapped matrix; after the last panel comes the
first again. It has read all of it before. Arguments: the file, MiB."""
import sys

import numpy

import pace

PANEL = 512 << 10
size = (int(sys.argv[2]) << 20) // PANEL
matrix = numpy.memmap(sys.argv[1], mode="r", shape=(size, PANEL), dtype="u1")
for panel in matrix:
    panel[::4096].sum()
at = 0


def step():
    global at
    matrix[at, ::4096].sum()
    at = (at + 1) % size


pace.serve(step)
