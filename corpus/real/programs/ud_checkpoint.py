"""Checkpoints of a document store: writes a number of pages of its data file at random places, syncs the file, and begins again.
Arguments: the data file (which exists), pages of 4 KiB in a checkpoint. It prints nothing."""
import os
import random
import sys

with open("/proc/self/comm", "w") as name:
    name.write("mongod-b")
file, pages = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2])
places, page = os.fstat(file).st_size >> 12, os.urandom(4096)
while True:
    for _ in range(pages):
        os.pwrite(file, page, random.randrange(places) << 12)
    os.fsync(file)
