"""Builds an index of vectors in memory: 20 MB a second up to MiB, then goes along the edges of the graph. Argument: the MiB."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as name:
    name.write("hnswbuild")
layers = []
while len(layers) < int(sys.argv[1]):
    layers.append(numpy.full(131072, len(layers) + 0.5))
    time.sleep(0.05)
while True:
    for layer in layers:
        layer[::512] += 1
    time.sleep(0.5)
