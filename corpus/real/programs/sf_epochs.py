"""A trainer reads a dataset in a file from its start to its end, epoch after epoch, at a steady rate. Prints nothing. Arguments: the file, MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("trainer")
file, due = os.open(sys.argv[1], os.O_RDONLY), time.time()
samples, at = bytearray(1 << 18), 0
while True:
    if not os.preadv(file, [samples], at):
        at = 0
        continue
    at += len(samples)
    due = max(due + 0.25 / float(sys.argv[2]), time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
