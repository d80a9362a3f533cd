"""A forecast: loads a table of MiB into memory, 25 MB a second, and goes over all of it again and again. Argument: the MiB."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("forecast")
table = []
for _ in range(int(sys.argv[1])):
    table.append(numpy.full(1 << 20, 7, dtype=numpy.uint8))
    time.sleep(0.04)
while True:
    for part in table:
        part[::4096] += 1
    time.sleep(0.1)
