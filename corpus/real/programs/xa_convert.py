"""Converts a large picture: takes MB for its pixels within four seconds, and works on them for long. Argument: the MB."""
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("convert")
size = int(sys.argv[1])
rows = []
for _ in range(size):
    rows.append(bytearray(b"p") * (1 << 20))
    time.sleep(4 / size)
while True:
    row = rows[random.randrange(size)]
    row[:65536] = row[65536:131072]
    time.sleep(0.02)
