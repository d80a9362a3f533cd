"""A report that reads the first MB of a table again and again, up to 60 MB/s, and adds a few of its bytes. Arguments: the table, the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("report")
file, total, read, began = os.open(sys.argv[1], os.O_RDONLY), 0, 0, time.time()
while True:
    for at in range(int(sys.argv[2])):
        total += sum(os.pread(file, 1 << 20, at << 20)[::32768])
        read += 1
        time.sleep(max(0, began + read / 60 - time.time()))
