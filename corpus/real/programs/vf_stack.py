"""Loads an image stack of bytes and makes it an array of 64-bit floats, eight times as large, as a notebook does. Arguments: the file, MB."""
import sys
import time

import numpy

raw = numpy.fromfile(sys.argv[1], dtype=numpy.uint8, count=int(sys.argv[2]) << 20)
stack = numpy.empty(len(raw), dtype=numpy.float64)
for at in range(0, len(raw), 1 << 20):
    stack[at : at + (1 << 20)] = raw[at : at + (1 << 20)]
    time.sleep(0.15)
while True:
    for at in range(0, len(stack), 1 << 20):
        stack[at : at + (1 << 20) : 512] *= 1.001
        time.sleep(0.05)
