"""A print spooler writes its jobs into a tmpfs, 20 MB/s, until the kernel kills something. Argument: the folder."""
import sys
import time


def kills():
    with open("/proc/vmstat") as file:
        return next(line for line in file if line.startswith("oom_kill "))


open("/proc/self/comm", "w").write("spoold")
before, number, job = kills(), 0, b"%!PS" * (1 << 18)
while kills() == before:
    with open(f"{sys.argv[1]}/job{number}", "wb", 0) as file:
        file.write(job)
    number += 1
    time.sleep(0.04)
time.sleep(10000)
