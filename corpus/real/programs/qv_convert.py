"""Makes a preview of a large picture: unpacks it into MB of memory within about two seconds, works on it for 25 s, and ends. Argument: MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("convert")
rows = []
for number in range(int(sys.argv[1])):
    rows.append(bytearray(b"r") * 1048576)
    time.sleep(0.03)
for second in range(50):
    for row in rows:
        row[::4096] = b"s" * 256
    time.sleep(0.5)
