"""Loads a table of MiB into its memory and goes over it again and again. Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("jupyter")
table = []
for _ in range(int(sys.argv[1])):
    table.append(bytearray(b"t") * 1048576)
    time.sleep(0.015)
while True:
    for column in table:
        column[::4096] = b"u" * 256
    time.sleep(0.2)
