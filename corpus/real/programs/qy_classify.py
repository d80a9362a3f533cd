"""Recognizes things in pictures: processes that each load a model of MiB within seconds, and go over all of it for each picture. Arguments: the processes, the
MiB of each. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("node")
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
model = []
while len(model) < int(sys.argv[2]):
    model.append(bytearray(b"m") * 1048576)
    time.sleep(0.01)
while True:
    for layer in model:
        layer[::4096] = b"n" * 256
    time.sleep(0.05)
