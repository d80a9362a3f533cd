"""A backup program builds the index of its repository in memory, 15 MB a second. Argument: MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("restic")
held = []
while len(held) < int(sys.argv[1]):
    held.append(bytearray(b"i") * 1048576)
    time.sleep(0.066)
time.sleep(1000)
