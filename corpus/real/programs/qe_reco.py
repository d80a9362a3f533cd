"""Reconstructs a run: writes its output in pieces of 512 KB as fast as it may, over and over a file of 150 MB. Argument: the file."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("recojob")
output, piece = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), os.urandom(1 << 19)
while True:
    for at in range(300):
        os.pwrite(output, piece, at << 19)
