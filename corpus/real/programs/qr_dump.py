"""Writes the core of a big program to disk, 25 MB/s, as systemd-coredump does before it compresses it. Arguments: the file, its MiB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("systemd-coredum")
block = os.urandom(1 << 20)
core = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
for _ in range(int(sys.argv[2])):
    os.write(core, block)
    time.sleep(0.04)
