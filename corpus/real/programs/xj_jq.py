"""Parses a dump of events as one document: of each MB that it reads it keeps ten in memory, 12 MB more each second, and then sorts them. Arguments:
the dump, the MB in memory at the end."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("jq")
held, size = [], int(sys.argv[2])
with open(sys.argv[1], "rb") as dump:
    while len(held) < size:
        if len(held) % 10 == 0:
            dump.read(1 << 20)
        held.append(bytearray(b"{") * (1 << 20))
        time.sleep(1 / 12)
while True:
    for _ in range(100):
        random.choice(held)[random.randrange(256) << 12] = 1
    time.sleep(0.1)
