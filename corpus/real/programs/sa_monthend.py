"""A report at the end of the month keeps all rows in memory: MiB, at MiB a second, and works on them until the end. Arguments: MiB, MiB a second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("month-end")
rows = []
while len(rows) < int(sys.argv[1]):
    rows.append(bytearray(b"r") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for block in rows:
        block[::4096] = b"s" * 256
    time.sleep(1)
