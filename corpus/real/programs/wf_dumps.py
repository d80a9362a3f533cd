"""Writes a record for each of 20 requests a second, and a trace of the whole request while /tmp/trace exists. Arguments: file, KB, KB with
the trace. Prints the clock, the requests and their ms each second."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("gateway")
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
brief, full = (os.urandom(1024) * int(size) for size in sys.argv[2:4])
served = [0, 0.0]
lock = threading.Lock()


def report():
    now = int(time.time())
    while True:
        time.sleep(max(0.0, now + 1 - time.time()))
        with lock:
            done, took = served
            served[:] = [0, 0.0]
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        now += 1


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    os.write(file, full if os.path.exists("/tmp/trace") else brief)
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0.0, due - time.time()))
