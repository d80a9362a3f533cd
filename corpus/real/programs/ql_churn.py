"""An analysis makes frames of many MB, groups them, and frees them, over and over. Argument: MB of a frame."""
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("groupby")
while True:
    frame = numpy.ones(int(sys.argv[1]) << 17)
    parts = [frame[at :: 4] * 2.0 for at in range(4)]
    sum(float(part.sum()) for part in parts)
    time.sleep(0.5)
    del frame, parts
    time.sleep(0.5)
