"""A cron job that collects rows for a report and sorts what it has, again and again. Arguments: MB in the end, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("cronrows")
rows, most, rate = [], int(sys.argv[1]), float(sys.argv[2])
while True:
    if len(rows) < most:
        rows.append(bytearray(b"row " * 262144))
    for row in rows:
        row[::4096] = b"r" * 256
    time.sleep(1 / rate)
