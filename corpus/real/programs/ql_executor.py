"""An executor fills its heap at once and then marks it all, from the first object to the last, again and again, as a collector does. Argument: MB of
the heap."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("executor")
heap = numpy.empty(int(sys.argv[1]) << 20, dtype=numpy.uint8)
for at in range(0, len(heap), 1 << 20):
    heap[at : at + (1 << 20)] = 1
    time.sleep(0.01)
while True:
    for at in range(0, len(heap), 1 << 20):
        heap[at : at + (1 << 20) : 4096] ^= 1
    time.sleep(0.2)
