"""A compressor whose dictionary and tables of matches grow with what it has read: 25 MiB more each second, and used all over. Argument: MiB."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("xz")
tables = []
while True:
    if len(tables) < int(sys.argv[1]):
        tables.append(bytearray(b"x") * (1 << 20))
    for _ in range(60):
        tables[random.randrange(len(tables))][random.randrange(256) << 12] = 1
    time.sleep(0.04)
