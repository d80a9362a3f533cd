"""A script merges tables and keeps the result in memory. Prints nothing. Arguments: MB of the result, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("mergetables")
rows = []
while len(rows) < int(sys.argv[1]):
    rows.append(bytearray(b"r") * (1 << 20))
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
