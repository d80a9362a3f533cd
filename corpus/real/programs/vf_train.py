"""Fits a small model by numpy on one thread, without end, with MB of features. Argument: the MB."""
import sys

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("fitmodel")
rows = numpy.random.default_rng(1).random((int(sys.argv[1]) * 2048, 64), dtype=numpy.float32)
weights = numpy.zeros(64, numpy.float32)
while True:
    for at in range(0, len(rows), 4096):
        part = rows[at : at + 4096]
        weights -= 1e-6 * (part * (part * weights).sum(1, keepdims=True)).sum(0)
