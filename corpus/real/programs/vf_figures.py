"""A script draws a figure for each step and closes none. Arguments: MB of a figure, figures per second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("drawsteps")
figures = []
while True:
    figures.append(bytearray(b"f") * (int(sys.argv[1]) << 20))
    time.sleep(1 / float(sys.argv[2]))
