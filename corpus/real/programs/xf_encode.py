"""Encodes video without end: so many processes that each compress frames. Argument: the processes."""
import os
import sys
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("encode")
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
frame = os.urandom(4096) * 8
while True:
    zlib.compress(frame, 9)
