"""Loads a matrix of cells and genes into memory, chunk by chunk, and then computes a mean of a chunk now and then. Arguments: MB; MB a second."""
import sys
import time

import numpy

size, rate = int(sys.argv[1]), float(sys.argv[2])
chunks = []
while len(chunks) < size // 4:
    chunks.append(numpy.full(4 * 131072, 0.5))
    time.sleep(4 / rate)
at = 0
while True:
    chunks[at % len(chunks)][::512].mean()
    at += 1
    time.sleep(0.5)
