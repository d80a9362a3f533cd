"""A script that takes MB of memory, 12 MB a second, and ends after that. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("nightlyexport")
held = []
while len(held) < int(sys.argv[1]):
    held.append(bytearray(b"x") * (1 << 20))
    time.sleep(0.08)
