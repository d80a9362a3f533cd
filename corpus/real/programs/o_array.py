"""Fills MiB of arrays at MiB/s, and goes over all of them every half second. Arguments: the program's name, MiB, MiB/s, seconds after which it
ends."""
import sys
import time

import numpy

open("/proc/self/comm", "w").write(sys.argv[1])
size, rate, last = (float(value) for value in sys.argv[2:])
held, began = [], time.time()
while len(held) < size:
    held.append(numpy.full(1 << 17, len(held), dtype="f8"))
    time.sleep(max(0, began + len(held) / rate - time.time()))
while time.time() < began + last:
    for array in held:
        array[::512] += 1
    time.sleep(0.5)
