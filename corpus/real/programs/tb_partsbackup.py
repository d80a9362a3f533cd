"""A backup of a column store: copies the parts of a table to the other volume, and begins anew at the end. Prints nothing. Arguments: the parts, the
copy."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("parts-backup")
os.nice(10)
while True:
    with open(sys.argv[1], "rb", buffering=0) as parts, open(sys.argv[2], "wb", buffering=0) as copy:
        while block := parts.read(1048576):
            copy.write(block)
