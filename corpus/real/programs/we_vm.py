"""The memory of a virtual machine. Arguments: the name of the process, MiB, pages that each step touches at random, steps a second, and `print`
if each step is a request that is logged."""
import random
import sys
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, pages, rate = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
memory = []
for _ in range(size):
    memory.append(bytearray(b"v") * (1 << 20))
    time.sleep(0.02)


def step():
    for _ in range(pages):
        memory[random.randrange(size)][random.randrange(256) << 12] = 1


if sys.argv[5:] == ["print"]:
    pace.serve(step, interval=1 / rate)
while True:
    step()
    time.sleep(1 / rate)
