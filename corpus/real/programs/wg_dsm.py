"""The workers of a parallel hash join: fill a segment of shared memory of MiB, ten a second, and probe it again and again. Argument: the MiB."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("parallelworker")
size = int(sys.argv[1]) << 20
file = os.open("/dev/shm/PostgreSQL.1804289383", os.O_CREAT | os.O_RDWR)
os.ftruncate(file, size)
table = mmap.mmap(file, size)
for at in range(0, size, 1 << 20):
    table[at : at + (1 << 20)] = b"h" * (1 << 20)
    time.sleep(0.1)
while True:
    for at in range(0, size, 4096):
        table[at] = 1
    time.sleep(0.5)
