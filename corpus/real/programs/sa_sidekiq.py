"""A worker of background jobs: takes MiB at 25 MiB/s, and uses 2000 of its pages at random five times a second at most. Argument: MiB."""
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("sidekiq")
size, held = int(sys.argv[1]), []
while len(held) < size:
    held.append(bytearray(b"s") * 1048576)
    time.sleep(0.04)
while True:
    for _ in range(2000):
        held[random.randrange(size)][random.randrange(256) * 4096] = 1
    time.sleep(0.2)
