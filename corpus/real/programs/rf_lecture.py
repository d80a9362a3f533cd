"""Kernels of the notebooks of students: each loads the same exercise into its own memory and then goes over it without end. Prints nothing. Arguments:
kernels, MB of each."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ipykernel")
for student in range(int(sys.argv[1])):
    if os.fork() == 0:
        blocks = []
        for _ in range(int(sys.argv[2])):
            blocks.append(bytearray(b"s") * (1 << 20))
            time.sleep(0.1)
        while True:
            for block in blocks:
                block[::4096] = block[1::4096]
                time.sleep(0.01)
    time.sleep(0.2)
time.sleep(10000)
