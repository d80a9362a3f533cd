"""A build that keeps its objects below a folder of a tmpfs and never removes them. Arguments: folder, MB, MB/s. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("cargo")
folder, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)
for number in range(size):
    with open(f"{folder}/lib{number}.rlib", "wb") as rlib:
        rlib.write(os.urandom(1 << 12) * 256)
    time.sleep(1 / rate)
time.sleep(10000)
