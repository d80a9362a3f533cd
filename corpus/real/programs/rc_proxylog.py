"""A proxy of databases that writes its log, 4 MB a second, and holds no memory itself. Argument: the log."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("proxysql")
line = b"2025-12-22 10:15:01 Scheduler.cpp: scheduler entry executed by hostgroup manager\n"
with open(sys.argv[1], "wb", buffering=0) as log:
    due = time.time()
    while True:
        log.write(line * (400000 // len(line)))
        due = max(due + 0.1, time.time() - 0.1)
        time.sleep(max(0, due - time.time()))
