"""A virtual desktop whose user is away: holds MB of memory and uses none of it until a file exists, then reads it again, MB/s. Arguments: MB,
the file, MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("kvm")
ram = [os.urandom(4096) * 256 for _ in range(int(sys.argv[1]))]
while not os.path.exists(sys.argv[2]):
    time.sleep(0.5)
for block in ram:
    sum(block[::4096])
    time.sleep(1 / float(sys.argv[3]))
time.sleep(10000)
