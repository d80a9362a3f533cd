"""A backup program (`restic`) that reads the index of a repository into memory before it prunes: MiB of entries, MiB a second; it keeps them.
Arguments: the MiB, MiB a second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("restic")
index = []
for _ in range(int(sys.argv[1])):
    index.append(bytearray(b"\x33") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
