"""Workers of a monitoring server leave an empty mark with a long name for each result of a check in a spool in memory; nobody collects them.
Arguments: the spool, the worker's number, MB of kernel memory at which the checks end."""
import os
import sys
import time


def slab():
    for line in open("/proc/meminfo"):
        if line.startswith("Slab:"):
            return int(line.split()[1]) >> 10


with open("/proc/self/comm", "w") as file:
    file.write("nagios-worker")
number = 0
while slab() < int(sys.argv[3]):
    folder = f"{sys.argv[1]}/{sys.argv[2]}-{number}"
    os.mkdir(folder)
    os.chdir(folder)
    for check in range(3000):
        os.mknod(f"checkresult-of-service-{check:08d}-on-host-branch-office-{number:06d}-returned-by-worker-{sys.argv[2]}.ok")
    number += 1
    time.sleep(0.02)
time.sleep(1000)
