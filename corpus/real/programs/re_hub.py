"""The hub of a smart home: it has the states of its devices in memory and for each event changes forty of them at random places. Arguments: MiB of states,
events a second. Prints in each second the clock, the events and the ms of one."""
import random
import sys
import threading
import time

size, rate = int(sys.argv[1]) * 1048576, int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("hass")
states = bytearray(size)
for at in range(0, size, 4096):
    states[at] = 1
done, took, began = 0, 0.0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(40):
        at = random.randrange(size)
        states[at] = states[at] + 1 & 255
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
