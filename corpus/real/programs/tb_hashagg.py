"""A query that groups by a column of many values, in a database without a limit of memory or a directory to spill to: its hash table grows by MB a
second up to its size, and is probed on and on. Prints nothing. Arguments: the MB of the table, MB a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("duckdb")
size, rate = int(sys.argv[1]), int(sys.argv[2])
table = []
while len(table) < size:
    table.append(bytearray(b"g") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in table:
        block[random.randrange(1048576)] = 1
    time.sleep(0.2)
