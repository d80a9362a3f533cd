"""Repairs a file system: its cache of blocks grows to MB, it looks at some of them for some seconds, and it ends. Arguments: the MB, MB a second, the
seconds."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("xfs_repair")
cache = []
for _ in range(int(sys.argv[1])):
    cache.append(bytearray(os.urandom(4096) * 256))
    time.sleep(1 / float(sys.argv[2]))
end = time.time() + float(sys.argv[3])
while time.time() < end:
    random.choice(cache)[random.randrange(1 << 20)] = 1
    time.sleep(0.001)
