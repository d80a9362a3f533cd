"""An object store: fills a file of shared memory with objects, then reads one of them now and then. Arguments: the file, MB, MB/s."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("plasma_store")
size, rate = int(sys.argv[2]), float(sys.argv[3])
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.ftruncate(file, size << 20)
store = mmap.mmap(file, size << 20)
for at in range(size):
    store[at << 20 : (at + 1) << 20] = b"\x09" * (1 << 20)
    time.sleep(1 / rate)
while True:
    at = random.randrange(size)
    store[at << 20 : (at << 20) + 65536]
    time.sleep(0.2)
