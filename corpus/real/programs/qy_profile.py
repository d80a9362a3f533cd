"""A browser whose profile lies in memory (tmpfs): writes MiB of it within some seconds, then changes a part of it twice a second. Arguments: the folder, the MiB.
Prints nothing."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("firefox-esr")
folder, size = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
for number in range(size):
    with open(f"{folder}/cache{number}", "wb") as part:
        part.write(os.urandom(4096) * 256)
    time.sleep(0.05)
while True:
    with open(f"{folder}/cache{random.randrange(size)}", "r+b") as part:
        part.write(os.urandom(65536))
    time.sleep(0.5)
