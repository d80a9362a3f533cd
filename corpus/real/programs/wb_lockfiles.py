"""A job runner makes an empty lock file for each task and removes none. Arguments: the folder, the number of files, processes."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("taskrunner")
folder, files, processes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
number = 0
for number in range(processes):
    if number == processes - 1 or os.fork() == 0:
        break
for part in range(files // processes // 1000):
    here = f"{folder}/{number}-{part}"
    os.mkdir(here)
    for task in range(1000):
        os.mknod(f"{here}/{task}.lock")
    time.sleep(0.01)
time.sleep(10000)
