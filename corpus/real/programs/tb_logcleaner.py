"""A broker's log cleaner, whose rate nobody limits: it reads the segments of a compacted topic and writes every fourth block of them to a new segment,
as fast as the disk allows. Prints nothing. Arguments: the segments, the new one."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("log-cleaner")
os.nice(10)
while True:
    with open(sys.argv[1], "rb", buffering=0) as dirty, open(sys.argv[2], "wb", buffering=0) as cleaned:
        number = 0
        while block := dirty.read(131072):
            if number % 4 == 0:
                cleaned.write(block)
                os.fsync(cleaned.fileno())
            number += 1
