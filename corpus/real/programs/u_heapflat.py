"""A program that warms up: takes 200 MiB at 12 MiB/s, and then uses them and takes no more."""
import random
import time

with open("/proc/self/comm", "w") as name:
    name.write("ledgerapp")
heap = []
while len(heap) < 200:
    heap.append(bytearray(b"h") * 1048576)
    time.sleep(1 / 12)
while True:
    random.choice(heap)[::4096] = b"i" * 256
    time.sleep(0.1)
