"""Builds the dictionary of a suggester at low priority: computes all the time, and holds MiB of words in the end. Arguments: MiB, MiB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("suggestbuild")
os.nice(19)
size, rate, held, value, began = int(sys.argv[1]), float(sys.argv[2]), [], 1, time.time()
while True:
    if len(held) < min(size, (time.time() - began) * rate):
        held.append(bytearray(b"w") * 1048576)
    for word in range(2000):
        value = (value * 31 + word) % 1000003
