"""A hidden member of a replica set that nobody queries: it holds MB of a cache, and when /tmp/go exists a check of its health looks at 15 pages of that in each
second. Argument: the MB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("mongod")
cache = [bytearray(os.urandom(4096) * 256) for _ in range(int(sys.argv[1]))]
while True:
    time.sleep(1)
    if os.path.exists("/tmp/go"):
        for _ in range(15):
            random.choice(cache)[random.randrange(1 << 20)]
