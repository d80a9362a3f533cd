"""Compilers that are started at once: each takes MB of memory at 15 MB/s and uses pages of it at random. Arguments: how many, MB."""
import os
import random
import sys
import time

count, size = int(sys.argv[1]), int(sys.argv[2])
with open("/proc/self/comm", "w") as name:
    name.write("cc1plus")
for _ in range(count):
    if os.fork() == 0:
        break
    time.sleep(0.3)
else:
    time.sleep(10000)
trees = []
while True:
    if len(trees) < size:
        trees.append(bytearray(b"t") * (1 << 20))
    for _ in range(150):
        random.choice(trees)[random.randrange(256) << 12] = 1
    time.sleep(0.06)
