"""Compiles units with sanitizers, all at once: each compiler takes MB at 7 MB/s and uses pages of it at random. Arguments: compilers, MB of each. Prints
nothing."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("cc1plus")
count, size = int(sys.argv[1]), int(sys.argv[2])
for _ in range(count):
    if os.fork() == 0:
        break
else:
    time.sleep(10000)
unit = []
while True:
    if len(unit) < size:
        unit.append(bytearray(b"u") * (1 << 20))
    for _ in range(20):
        random.choice(unit)[random.randrange(256) << 12] = 1
    time.sleep(0.14)
