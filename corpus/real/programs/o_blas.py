"""Multiplies small matrices without end, on one thread."""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy

open("/proc/self/comm", "w").write("octave-cli")
matrix = numpy.random.rand(120, 120)
while True:
    matrix = matrix @ matrix % 1.0
