"""Leaves a session file of so many KB behind for each visitor, and deletes none. Arguments: folder, KB, visitors per second, files at most."""
import os
import sys
import time

folder, size, rate, most = sys.argv[1], int(sys.argv[2]) << 10, float(sys.argv[3]), int(sys.argv[4])
with open("/proc/self/comm", "w") as comm:
    comm.write("phpsessions")
body = os.urandom(size)
due = time.time()
for number in range(most):
    with open(f"{folder}/sess_{number}", "wb") as file:
        file.write(body)
    due += 1 / rate
    time.sleep(max(0.0, due - time.time()))
while True:
    time.sleep(60)
