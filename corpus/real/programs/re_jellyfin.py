"""A media server with its library in memory: each request looks at sixty places of it. Arguments: MiB of the library, requests a second. Prints in each second
the clock, the requests and the ms of one."""
import random
import sys
import threading
import time

size, rate = int(sys.argv[1]) * 1048576, int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("jellyfin")
library = bytearray(size)
for at in range(0, size, 4096):
    library[at] = 1

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
    total = 0
    for _ in range(60):
        total += library[random.randrange(size)]
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
