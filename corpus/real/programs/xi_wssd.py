"""A monitor estimates the working set of all processes: workers read the flags and counts of all pages of memory and the page maps of processes,
without a pause. Argument: the workers."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("wssd")
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
while True:
    for name in ("/proc/kpageflags", "/proc/kpagecount"):
        young = 0
        with open(name, "rb", buffering=0) as file:
            while part := file.read(1 << 16):
                young += sum(flag & 4 for flag in part[::8])
