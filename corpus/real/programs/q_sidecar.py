"""A database for tests, with its tables in memory, of MiB: loads them, then answers 20 requests a second. Argument: the MiB."""
import random
import sys
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("testdb")
tables = []
for _ in range(int(sys.argv[1])):
    tables.append(bytearray(b"d") * (1 << 20))
    time.sleep(0.02)


def request():
    for _ in range(10):
        random.choice(tables)[random.randrange(256) << 12] = 1


pace.serve(request)
