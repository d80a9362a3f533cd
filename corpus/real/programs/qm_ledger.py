"""Twelve threads of a ledger write 4 KB each at random places of a volume around the page cache, once a second each, and ten times a second from when
/tmp/go exists; prints in each second clock, writes and ms of each. Arguments: the volume, its MB."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ledger")
volume, blocks = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), int(sys.argv[2]) * 256
took = []


def book():
    block = mmap.mmap(-1, 4096)
    block[:] = os.urandom(4096)
    due = time.time() + random.random()
    while True:
        pause = 0.1 if os.path.exists("/tmp/go") else 1
        time.sleep(max(0, min(due - time.time(), pause)))
        began = time.time()
        os.pwritev(volume, [block], random.randrange(blocks) * 4096)
        took.append(time.time() - began)
        due = max(began + pause, time.time())


for _ in range(12):
    threading.Thread(target=book, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told, took[:] = took[:], []
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
