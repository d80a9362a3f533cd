"""Leaves an empty marker for each task it has seen, and never removes one. Arguments: folder, markers."""
import os
import sys
import time

folder, count = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("taskmarks")
for number in range(count):
    if number % 2000 == 0:
        home = f"{folder}/{number // 2000}"
        os.mkdir(home)
    os.close(os.open(f"{home}/task-{number:08d}-seen", os.O_CREAT | os.O_WRONLY))
time.sleep(10000)
