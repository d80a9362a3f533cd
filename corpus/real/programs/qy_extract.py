"""Extracts the text of documents that a desktop's search should find, and keeps all of it: processes that each take MiB/s. Arguments: the processes, the MiB/s.
Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("localsearch-ext")
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
texts = []
while True:
    texts.append(bytearray(b"x") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
