"""Pods of cron jobs: every two seconds makes a group, starts in it a process that takes 30 MB, reads a small file, computes for a moment and ends with an error; then
removes the group."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("kubelet")
number = 0
while True:
    number += 1
    group = f"/sys/fs/cgroup/cronjob{number}"
    os.mkdir(group)
    if not os.fork():
        with open(f"{group}/cgroup.procs", "w") as procs:
            procs.write("0")
        with open("/proc/self/comm", "w") as comm:
            comm.write("monitorjob")
        heap = [bytearray(b"m") * (1 << 20) for _ in range(30)]
        with open("/etc/passwd", "rb") as file:
            words = file.read().split()
        sum(range(200000))
        os._exit(1)
    os.wait()
    time.sleep(0.1)
    try:
        os.rmdir(group)
    except OSError:
        pass
    time.sleep(2)
