"""A set-top box that pauses live television: it writes eight blocks a second into a file that is used as a ring. Arguments: the file, KiB of a block, MiB of
the ring."""
import os
import sys
import time

path, size, ring = sys.argv[1], int(sys.argv[2]) * 1024, int(sys.argv[3]) * 1048576
with open("/proc/self/comm", "w") as comm:
    comm.write("timeshift")
file = os.open(path, os.O_CREAT | os.O_WRONLY)
video, at = os.urandom(size), 0
while True:
    os.pwrite(file, video, at)
    at = (at + size) % ring
    time.sleep(1 / 8)
