"""Receives a base backup into a folder. Arguments: the folder, the MiB, the MiB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pg_basebackup")
folder, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
piece = os.urandom(1 << 20)
for at in range(size):
    with open(f"{folder}/{at // 64}", "ab", 0) as file:
        file.write(piece)
    time.sleep(1 / rate)
time.sleep(10000)
