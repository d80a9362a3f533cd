"""Answers requests with rows of a file that it reads around the page cache. Arguments: the file, its MB, requests per second, rows of each."""
import mmap
import os
import random
import sys
import threading
import time

path, size, rate, rows = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
with open("/proc/self/comm", "w") as comm:
    comm.write("shelfd")
file = os.open(path, os.O_RDONLY | os.O_DIRECT)
buffer = [mmap.mmap(-1, 4096)]
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
    for _ in range(rows):
        os.preadv(file, buffer, random.randrange(size * 256) * 4096)
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    due = max(due + 1 / rate, time.time() - 1 / rate)
    time.sleep(max(0.0, due - time.time()))
