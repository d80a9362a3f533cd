"""A log shipper whose sink does not answer keeps all that it reads in memory: 8 MB a second, up to so many MB. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("logshipper")
chunks = []
while len(chunks) < int(sys.argv[1]) * 4:
    chunks.append(bytearray(b"l") * 262144)
    time.sleep(1 / 32)
time.sleep(10000)
