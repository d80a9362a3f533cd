"""Four workers of a message store read or write pages of a volume around the page cache. From when /tmp/go exists they work in its second half.
Arguments: the device, the MB of each half, requests a second of each worker, read or write."""
import mmap
import os
import random
import sys
import threading
import time

size, rate, writes = int(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "write"
device, lock, done, took = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), threading.Lock(), 0, 0.0


def work():
    global done, took
    page, due = mmap.mmap(-1, 8192), time.time() + random.random() / rate
    while True:
        at = (random.randrange(size * 128) + os.path.exists("/tmp/go") * size * 128) * 8192
        began = time.time()
        (os.pwritev if writes else os.preadv)(device, [page], at)
        with lock:
            done, took = done + 1, took + time.time() - began
        due = max(due + 1 / rate, time.time() - 1 / rate)
        time.sleep(max(0, due - time.time()))


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
