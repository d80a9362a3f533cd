"""Imports a supplier's list of prices: parses all of it into memory, MB of it, MB a second, compares what it holds and waits for an answer. Arguments: the MB, MB
a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("priceimport")
prices, pattern = [], random.randbytes(4096)
for _ in range(int(sys.argv[1])):
    prices.append(bytearray(pattern * 256))
    time.sleep(1 / float(sys.argv[2]))
while True:
    for part in prices:
        part[::4096] = pattern[:256]
    time.sleep(0.5)
