"""One process of a shop's import of products: it parses its part of the feed into memory, MB at MB a second, and works on it. Arguments: the MB, MB a
second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("feedimport")
rows = []
for _ in range(int(sys.argv[1])):
    rows.append(bytearray(b"<item>") * 174763)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
