"""A package manager on a small VPS: parses the metadata of all repositories into MB of memory, and its solver goes over all of it at random, again and
again. Arguments: the MB, MB a second."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("dnf")
size, rate = int(sys.argv[1]), float(sys.argv[2])
pool = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
# No huge pages.
pool.madvise(15)
noise = os.urandom(1 << 20)
for part in range(size):
    pool[part << 20 : (part + 1) << 20] = noise
    time.sleep(1 / rate)
while True:
    for _ in range(500):
        pool[random.randrange(size << 8) << 12] = 1
    time.sleep(0.001)
