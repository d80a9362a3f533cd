"""Adds users to the directory of a domain, one transaction each: for each of three files of the database it writes what it is going to change to the
recovery area, waits for the disk, changes 16 pages of the file, waits, marks the recovery area as unused, and waits. Argument: the folder. Prints nothing."""
import os
import random
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("samba-tool")
PAGES = 4096
os.makedirs(sys.argv[1], exist_ok=True)
parts = []
for name in ("metadata.tdb", "domain.ldb", "configuration.ldb"):
    part = os.open(f"{sys.argv[1]}/{name}", os.O_CREAT | os.O_RDWR)
    for _ in range(PAGES // 256):
        os.write(part, os.urandom(1 << 20))
    os.fsync(part)
    parts.append(part)
page = os.urandom(4096)
while True:
    for part in parts:
        os.pwrite(part, page * 8, 0)
        os.fsync(part)
        for _ in range(16):
            os.pwrite(part, page, random.randrange(8, PAGES) * 4096)
        os.fsync(part)
        os.pwrite(part, page, 0)
        os.fsync(part)
