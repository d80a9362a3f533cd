"""Senders of logical replication decode the log: each reads its part of it and keeps the changes of a transaction that has not ended in a buffer of its own,
2 MB a second, until the buffer is full. Arguments: the log, senders, MB of each buffer."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("walsender")
for sender in range(int(sys.argv[2])):
    if os.fork() == 0:
        log, buffer = os.open(sys.argv[1], os.O_RDONLY), []
        for n in range(int(sys.argv[3]) * 4):
            change = os.pread(log, 65536, (sender << 24) + n * 65536)
            buffer.append(bytearray(change * 4))
            time.sleep(0.125)
        time.sleep(10000)
time.sleep(10000)
