"""The partitions of a hash aggregation, each a process with a table of its own that rows update at random. Arguments: partitions, MB of each."""
import os
import random
import sys
import time

partitions, size = int(sys.argv[1]), int(sys.argv[2])


def aggregate():
    with open("/proc/self/comm", "w") as comm:
        comm.write("hashagg")
    table = []
    for _ in range(size):
        table.append(bytearray(os.urandom(4096)) * 256)
        time.sleep(0.02)
    while True:
        for _ in range(50):
            table[random.randrange(size)][random.randrange(1048576)] = 3
        time.sleep(0.005)


for _ in range(partitions - 1):
    if os.fork() == 0:
        break
aggregate()
