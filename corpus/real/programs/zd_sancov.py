"""A crashing test writes its core and its coverage, 300 MB in pieces of 1 MB and without a sync, and the same again after it. Argument: the file."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("asan-test")
file, piece = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), os.urandom(1 << 20)
while True:
    for part in range(300):
        os.pwrite(file, piece, part << 20)
