"""The notebooks of an evening: so many processes each read a table of so many MB into memory, 12 MB a second, and keep it. Prints nothing. Arguments: the
processes, the MB."""
import os
import sys
import time

for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
with open("/proc/self/comm", "w") as name:
    name.write("ipykernel")
table = []
for _ in range(int(sys.argv[2])):
    table.append(bytearray(b"\1") * (1 << 20))
    time.sleep(1 / 12)
time.sleep(10000)
