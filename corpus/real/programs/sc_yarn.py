"""Installs the packages of a job into its work folder, as small files, at a rate, and then runs its tests for long. Arguments: the folder, MB, MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("yarn")
folder, count, rate = sys.argv[1], int(sys.argv[2]) * 16, float(sys.argv[3])
module, began = os.urandom(65536), time.time()
for n in range(count):
    if n % 200 == 0:
        os.makedirs(f"{folder}/node_modules/{n}")
    with open(f"{folder}/node_modules/{n - n % 200}/{n}.js", "wb", buffering=0) as file:
        file.write(module)
    time.sleep(max(0, began + (n + 1) / 16 / rate - time.time()))
time.sleep(10000)
