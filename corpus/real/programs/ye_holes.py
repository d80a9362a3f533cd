"""A log shipper reads a log from its beginning, 20 MB a second, and begins again when it is at its end. Argument: the log."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("logcourier")
log, due = os.open(sys.argv[1], os.O_RDONLY), time.time()
while True:
    if not os.read(log, 1 << 17):
        os.lseek(log, 0, os.SEEK_SET)
    due = max(due + 1 / 160, time.time() - 1)
    time.sleep(max(0, due - time.time()))
