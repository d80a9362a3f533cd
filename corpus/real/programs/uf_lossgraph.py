"""A training loop: has a model and its batches, which take the memory that is free but for 70 MB; once the file given exists it adds up losses with their whole
graphs, which keeps 11 MB more each second without end. Makes the file `FILE.ready` when the model is there, and prints nothing. Argument: the file."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("train")


def free():
    with open("/proc/meminfo") as info:
        for line in info:
            if line.startswith("MemFree"):
                return int(line.split()[1]) >> 10


held = []
while free() > 70:
    held.append(bytearray(b"\1") * (1 << 20))
open(sys.argv[1] + ".ready", "w").close()
model, step = len(held), 0
while True:
    time.sleep(1 / 11)
    step += 1
    held[step % model][::4096] = b"\3" * 256
    if os.path.exists(sys.argv[1]):
        held.append(bytearray(b"\2") * (1 << 20))
