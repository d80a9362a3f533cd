"""A linker: takes MB of symbols, MB a second, and then goes over all of them again and again to resolve references. Arguments: the MB, MB a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("ld")
symbols, pattern = [], random.randbytes(4096)
for _ in range(int(sys.argv[1])):
    symbols.append(bytearray(random.randbytes(64) + pattern[64:]) * 256)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for part in symbols:
        part[::4096] = pattern[:256]
    time.sleep(0.1)
