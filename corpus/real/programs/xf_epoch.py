"""A trainer reads a set of 400 MB for the first time, samples of 128 KB in an order that is shuffled, 20 MB/s, and again in the next epoch."""
import os
import random
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("trainer")
files = [os.open(f"/bulk/media/part{n}", os.O_RDONLY) for n in (1, 2)]
samples = [(file, at << 17) for file in files for at in range(1600)]
while True:
    random.shuffle(samples)
    for file, at in samples:
        os.pread(file, 1 << 17, at)
        time.sleep(1 / 160)
