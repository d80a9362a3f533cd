"""A nightly rollup keeps its counters in shared anonymous memory and increments them at random. Argument: MB."""
import mmap
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("rollupd")
size = int(sys.argv[1]) << 20
heap, block = mmap.mmap(-1, size), b"c" * 1048576
for _ in range(size >> 20):
    heap.write(block)
while True:
    for _ in range(200):
        heap[random.randrange(size)] = 1
    time.sleep(0.005)
