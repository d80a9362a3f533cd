"""Prepares a backup of a database in place: applies the redo log to pages of 16 KB all over the data file, through the page cache, up to 1200 a second.
Argument: the file."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("prepare")
file = os.open(sys.argv[1], os.O_RDWR)
pages, page = os.fstat(file).st_size // 16384, os.urandom(16384)
while True:
    began = time.time()
    for _ in range(60):
        os.pwrite(file, page, random.randrange(pages) * 16384)
    time.sleep(max(0, began + 0.05 - time.time()))
