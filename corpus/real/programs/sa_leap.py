"""Worker processes whose waits on a lock with a timeout end at once, as after the leap second of 2012: each of them asks again and again. Argument: processes."""
import os
import sys
import threading

for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
with open("/proc/self/comm", "w") as comm:
    comm.write("appserver")
lock = threading.Lock()
lock.acquire()
while True:
    lock.acquire(timeout=0.000001)
