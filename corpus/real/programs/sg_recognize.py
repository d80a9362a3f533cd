"""Jobs of a photo service's face recognition: cron starts one every 1.2 s, although none has ended. Each takes MiB for its model and waits for its turn.
Arguments: the MiB, the number of jobs."""
import os
import sys
import time

size, jobs = int(sys.argv[1]), int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("php")
for _ in range(jobs):
    if os.fork() == 0:
        model = []
        for _ in range(size):
            model.append(bytearray(b"w") * 1048576)
            time.sleep(0.01)
        time.sleep(10000)
    time.sleep(1.2)
time.sleep(10000)
