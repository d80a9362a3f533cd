"""A reduction keeps partial sums of a cube: 10 MB more each second up to MB, and adds to some of them all the time. Argument: the MB."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("reduce")
cube = []
while True:
    if len(cube) < int(sys.argv[1]):
        cube.append(numpy.ones(1 << 17))
    for part in cube[::8]:
        part[::512] += 1
    time.sleep(0.1)
