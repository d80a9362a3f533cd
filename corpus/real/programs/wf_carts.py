"""Holds carts in memory, and renders a page of 2 MB for each of 15 requests a second; while /tmp/campaign exists each request also leaves
a cart of so many KB. Arguments: MB of carts, KB of a new one, MB of new ones at most. Prints the clock, the requests and their ms each second."""
import mmap
import os
import sys
import threading
import time

held, each, most = int(sys.argv[1]), int(sys.argv[2]) << 10, int(sys.argv[3]) << 20
with open("/proc/self/comm", "w") as comm:
    comm.write("carts")
carts = [b"c" * (1 << 20) for _ in range(held)]
page = b"p" * (2 << 20)
fresh = []
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
    with mmap.mmap(-1, len(page)) as room:
        room.write(page)
    if len(fresh) * each < most and os.path.exists("/tmp/campaign"):
        fresh.append(mmap.mmap(-1, each))
        fresh[-1].write(page[:each])
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    due = max(due + 1 / 15, time.time() - 1 / 15)
    time.sleep(max(0.0, due - time.time()))
