"""A follower copies partitions from a leader: it writes blocks of 1 MB at a pace, and syncs a segment after each 16 MB. Arguments: folder, MB per second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("replicafetcher")
folder, rate = sys.argv[1], float(sys.argv[2])
os.makedirs(folder, exist_ok=True)
block, number, due = os.urandom(1 << 20), 0, time.time()
while True:
    segment = os.open(f"{folder}/{number}.log", os.O_CREAT | os.O_WRONLY)
    for _ in range(16):
        os.write(segment, block)
        due = max(due + 1 / rate, time.time() - 1)
        time.sleep(max(0.0, due - time.time()))
    os.fdatasync(segment)
    os.close(segment)
    number += 1
