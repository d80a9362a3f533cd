"""A read replica whose buffer pool is small: 16 backends answer queries, each of four pages of 16 KB read around the page cache. There come 15 queries a
second, and 45 from when /tmp/go exists. Prints clock, queries and ms of each with the wait. Argument: the file."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("readreplica")
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
blocks = os.fstat(file).st_size // 16384
lock, done, took, due = threading.Lock(), 0, 0.0, time.time()


def backend():
    global done, took, due
    room = mmap.mmap(-1, 16384)
    while True:
        rate = 45 if os.path.exists("/tmp/go") else 15
        with lock:
            due = mine = max(due + 1 / rate, time.time() - 2)
        time.sleep(max(0, mine - time.time()))
        for _ in range(4):
            os.preadv(file, [room], random.randrange(blocks) * 16384)
        with lock:
            done, took = done + 1, took + time.time() - mine


for _ in range(16):
    threading.Thread(target=backend, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
