"""Tasks of an executor that spill their sorted runs to files as fast as they can, 150 MB in a file, and keep them all for the merge. Arguments: the
directory, the tasks. Prints nothing."""
import os
import sys

tasks, number = int(sys.argv[2]), 0
os.makedirs(sys.argv[1], exist_ok=True)
while number < tasks - 1 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as comm:
    comm.write("shuffle-task")
run, block = 0, os.urandom(1 << 20)
while True:
    with open(f"{sys.argv[1]}/spill_{os.getpid()}_{run}", "wb", buffering=0) as file:
        for _ in range(150):
            file.write(block)
    run += 1
