"""A member of a replica set that is synced anew: it writes the collections that it gets to files of 128 MB, in parts of 1 MB. Arguments: the folder, MB,
MB a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("mongod")
folder, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.makedirs(folder, exist_ok=True)
part, due, file = os.urandom(1 << 20), time.time(), None
for n in range(size):
    if n % 128 == 0:
        file = open(f"{folder}/collection-{n // 128}.wt", "wb", buffering=0)
    file.write(part)
    due = max(due + 1 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
