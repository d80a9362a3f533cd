"""Delivers messages to mailboxes, each a file of its own that is synced. Arguments: the mailbox, messages a second (0: as fast as it can)."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("doveadm")
box, rate = f"/data/box{sys.argv[1]}", float(sys.argv[2])
os.makedirs(box, exist_ok=True)
for number in range(10**6):
    began = time.time()
    file = os.open(f"{box}/{number}", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"m" * 4000)
    os.fsync(file)
    os.close(file)
    if rate:
        time.sleep(max(0, began + 1 / rate - time.time()))
