"""Collects numbers in one array, which is copied each time it grows, from when /tmp/go exists. Argument: MB."""
import os
import sys
import time

import numpy

while not os.path.exists("/tmp/go"):
    time.sleep(0.1)
table = numpy.zeros((0, 8))
while table.nbytes < float(sys.argv[1]) * 1e6:
    table = numpy.concatenate([table, numpy.random.rand(131072, 8)])
    time.sleep(0.4)
while True:
    table += 1
    time.sleep(0.2)
