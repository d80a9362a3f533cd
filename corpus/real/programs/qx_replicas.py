"""Replicas of a simulation, each of which writes checkpoint after checkpoint, every one a new file, with little between. Prints nothing. Arguments:
the folder, the replicas, MB of a checkpoint, how many each writes."""
import os
import sys
import time

folder, count, size, rounds = sys.argv[1], *map(int, sys.argv[2:5])
os.makedirs(folder, exist_ok=True)
for replica in range(count - 1):
    if not os.fork():
        break
state = os.urandom(1 << 18)
for step in range(rounds):
    with open(f"{folder}/checkpoint.{os.getpid()}.{step}", "wb", 0) as file:
        for _ in range(size * 4):
            file.write(state)
    time.sleep(0.5)
time.sleep(10000)
