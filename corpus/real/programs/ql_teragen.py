"""Writes rows of a benchmark as fast as the kernel takes them, with a process for each part. Arguments: the folder, the parts."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("teragen")
os.makedirs(sys.argv[1], exist_ok=True)
rows, part = os.urandom(262144), 0
while part < int(sys.argv[2]) - 1 and os.fork():
    part += 1
with open(f"{sys.argv[1]}/part-m-{os.getpid()}", "wb", 0) as output:
    while True:
        output.write(rows)
