"""The first report over a table that was loaded in bulk: it reads all pages, and sets the hint bits of every third page, which must be written for that
although nothing has changed; then it sleeps. Arguments: the file, the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("firstreport")
table, size = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) << 20
for at in range(0, size - 24576, 24576):
    pages = os.pread(table, 24576, at)
    os.pwrite(table, pages[:8192], at)
time.sleep(1000)
