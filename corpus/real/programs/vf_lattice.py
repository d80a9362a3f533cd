"""A simulation on a lattice: sweeps over all of its array again and again. Arguments: MB."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("lattice")
cells = numpy.empty(int(sys.argv[1]) << 17)
for at in range(0, len(cells), 1 << 20):
    cells[at : at + (1 << 20)] = 1
    time.sleep(0.1)
while True:
    cells[::512] += 1
    time.sleep(0.1)
