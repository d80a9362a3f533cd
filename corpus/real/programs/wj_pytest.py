"""Tests in parallel: so many workers, each of which keeps MB of fixtures, two more each second, and uses them at random. Arguments: the workers, MB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pytest")
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        break
else:
    time.sleep(10000)
fixtures = []
while True:
    if len(fixtures) < int(sys.argv[2]):
        fixtures.append(bytearray(b"f") * (1 << 20))
    random.choice(fixtures)[random.randrange(256) << 12] = 1
    time.sleep(0.5)
