"""A broker of a log: a producer appends 3 MB a second, and a consumer that works in batches fetches 12 times a second 256 KB of what was written
some seconds ago. Arguments: the log; how many seconds the consumer is behind. Prints in each second the clock, fetches and the ms of one."""
import os
import sys
import threading
import time

EACH = 256 << 10
with open("/proc/self/comm", "w") as comm:
    comm.write("broker")
log, behind = sys.argv[1], int(float(sys.argv[2]) * 12) * EACH
out = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
block = os.urandom(1024) * 256
written = 0


def produce():
    global written
    due = time.time()
    while True:
        os.write(out, block)
        written += EACH
        due = max(due + 1 / 12, time.time() - 0.5)
        time.sleep(max(0.0, due - time.time()))


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


threading.Thread(target=produce, daemon=True).start()
threading.Thread(target=report, daemon=True).start()
file = os.open(log, os.O_RDONLY)
buffer = [bytearray(EACH)]
at, due = 0, time.time()
while True:
    began = time.time()
    os.preadv(file, buffer, at)
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    # It never falls further behind than the lag; before the log is long enough, it reads the first part again.
    at = max(0, written - behind)
    due = max(due + 1 / 12, time.time() - 1 / 12)
    time.sleep(max(0.0, due - time.time()))
