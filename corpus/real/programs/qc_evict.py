"""The cache of a proxy at its maximal size: each second it stores 15 objects of 64 KB, and every ten seconds its manager removes the oldest. Arguments: the
folder, the objects that may stay."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("cache-manager")
folder, most, part = sys.argv[1], int(sys.argv[2]), os.urandom(65536)
os.makedirs(folder, exist_ok=True)
first = last = 0
while True:
    for _ in range(15):
        with open(f"{folder}/{last}", "wb") as file:
            file.write(part)
        last += 1
    if last % 150 == 0:
        while last - first > most:
            os.remove(f"{folder}/{first}")
            first += 1
    time.sleep(1)
