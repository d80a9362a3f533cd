"""A monitoring agent starts a thread for each device that it is to ask, 100 a second; each asks its own once a minute, which is the time it sleeps.
Argument: the threads."""
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("snmpagent")
threading.stack_size(128 << 10)


def ask():
    while True:
        time.sleep(60)


for _ in range(int(sys.argv[1])):
    threading.Thread(target=ask, daemon=True).start()
    time.sleep(0.01)
time.sleep(10000)
