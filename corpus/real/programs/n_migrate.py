"""A migration of a framework that takes all rows of a table as objects, of MiB at MiB/s, and goes through them at random to save them.
Arguments: MiB, MiB/s."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("migrate")
size, rate = (int(value) for value in sys.argv[1:])
rows = []
while len(rows) < size:
    rows.append(bytearray(b"o") * 1048576)
    time.sleep(1 / rate)
while True:
    for _ in range(1500):
        rows[random.randrange(size)][random.randrange(1048576)] = 1
    time.sleep(0.05)
