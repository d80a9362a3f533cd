"""A language server: loads a project, 30 MB/s, and then visits places all over its heap. Arguments: its name, MB, visits a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
size, rate = int(sys.argv[2]), float(sys.argv[3])
heap = []
for _ in range(size):
    heap.append(bytearray(b"n") * 1048576)
    time.sleep(0.033)
while True:
    for _ in range(100):
        heap[random.randrange(size)][random.randrange(1048576)] = 111
    time.sleep(100 / rate)
