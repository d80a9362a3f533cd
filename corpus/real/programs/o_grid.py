"""A model of the ocean keeps its grid of 48 MB in a mapped file, and changes 100 pages of it eight times a second. Argument: the file."""
import os
import random
import sys
import time

import numpy

open("/proc/self/comm", "w").write("nemo.exe")
with open(sys.argv[1], "wb") as file:
    for _ in range(48):
        file.write(os.urandom(1 << 20))
grid = numpy.memmap(sys.argv[1], mode="r+", dtype="u1")
while True:
    for _ in range(100):
        grid[random.randrange(grid.size)] += 1
    time.sleep(0.125)
