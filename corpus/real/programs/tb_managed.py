"""A worker of a stream processor that takes all of its managed memory at its start, 40 MB a second, and then uses some of it now and then. Prints
nothing. Argument: the MB."""
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("taskmanager")
managed = []
for _ in range(int(sys.argv[1])):
    managed.append(bytearray(b"m") * 1048576)
    time.sleep(0.025)
while True:
    for _ in range(20):
        random.choice(managed)[random.randrange(1048576)] = 1
    time.sleep(0.5)
