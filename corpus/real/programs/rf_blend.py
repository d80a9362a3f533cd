"""A renderer of a film: computes pictures by a CPU and writes each, 6 MB, to a directory; keeps the last 20. Prints nothing. Arguments: the directory, seconds
of CPU of a picture."""
import os
import sys
import time

import numpy

with open("/proc/self/comm", "w") as comm:
    comm.write("blender")
os.makedirs(sys.argv[1], exist_ok=True)
rays, number = numpy.linspace(0.0, 1.0, 20000), 0
while True:
    began = time.process_time()
    while time.process_time() - began < float(sys.argv[2]):
        rays = numpy.sqrt(numpy.abs(numpy.sin(rays * 3.1) + 0.1))
    with open(f"{sys.argv[1]}/frame{number % 20}.exr", "wb") as picture:
        picture.write(os.urandom(1 << 16) * 96)
    number += 1
