"""A solver that appends 300 KB to its trajectory five times a second, without sync. Prints clock, appends and ms of each. Argument: the file."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("solver")
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
frame, served = os.urandom(300000), []


def log():
    while True:
        now = int(time.time())
        time.sleep(now + 1 - time.time())
        took, served[:] = served[:], []
        print(now, len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)


threading.Thread(target=log, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    os.write(file, frame)
    served.append(time.time() - began)
    due = max(due + 0.2, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
