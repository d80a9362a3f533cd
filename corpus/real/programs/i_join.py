"""A join in memory: fills MiB with a hash table, then probes it at random. Argument: the MiB."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("pandas")
pages = int(sys.argv[1]) * 256
table = numpy.empty(pages * 4096, numpy.uint8)
for at in range(0, len(table), 4 << 20):
    table[at : at + (4 << 20)] = 7
    time.sleep(0.05)
chance = numpy.random.default_rng(1)
while True:
    table[chance.integers(0, pages, 300) * 4096] += 1
    time.sleep(0.02)
