"""Settles the payments of each merchant every five seconds: writes a file of 4 KB for each of so many and syncs it, one after the other. Arguments: folder, files."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("settled")
os.makedirs(sys.argv[1], exist_ok=True)
for turn in range(10000):
    for merchant in range(int(sys.argv[2])):
        with open(f"{sys.argv[1]}/{merchant}", "wb", buffering=0) as file:
            file.write(os.urandom(4096))
            os.fsync(file.fileno())
    time.sleep(5)
