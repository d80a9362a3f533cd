"""Prints pick lists from time to time: takes memory at 50 MB/s, holds it for 3 s, gives it back. Arguments: MB, seconds between two."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("picklist")
while True:
    held = []
    for _ in range(int(sys.argv[1])):
        held.append(bytearray(b"l") * 1048576)
        time.sleep(0.02)
    time.sleep(3)
    del held
    time.sleep(float(sys.argv[2]))
