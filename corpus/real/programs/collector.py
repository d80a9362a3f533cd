"""Three workers of a garbage collector, each of which computes for 70 ms of every 150."""
import os
import time

for _ in range(2):
    if not os.fork():
        break
while True:
    end = time.monotonic() + 0.07
    while time.monotonic() < end:
        pass
    time.sleep(0.08)
