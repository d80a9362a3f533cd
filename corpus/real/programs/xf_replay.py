"""Replays events from an archive: reads a file from its beginning in pieces of 256 KB, as fast as it gets them. Argument: the file."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("replay")
file, at = os.open(sys.argv[1], os.O_RDONLY), 0
while data := os.pread(file, 1 << 18, at):
    data.count(b"\n")
    at += len(data)
