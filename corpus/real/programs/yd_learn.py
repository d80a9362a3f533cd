"""Learns tokens of spam: a table that grows by 4 MB a second to MB, and is then looked through again and again. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("salearn")
table = []
while len(table) < int(sys.argv[1]):
    table.append(bytearray(b"t") * (1 << 20))
    time.sleep(0.25)
while True:
    for part in table:
        part[::4096] = b"u" * 256
    time.sleep(1)
