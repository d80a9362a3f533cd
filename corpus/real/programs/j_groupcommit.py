"""Eight sessions commit three times a second each: one appends to the log and syncs it at a time. From when /tmp/go exists the one whose turn
it is sleeps for 150 ms first, so that others may join it, and none can."""
import os
import random
import threading
import time

log = os.open("/data/commits", os.O_CREAT | os.O_RDWR)
os.write(log, os.urandom(1 << 20))
os.fsync(log)
turn, at, done, took = threading.Lock(), 0, 0, 0.0


def session():
    global at, done, took
    while True:
        began = time.time()
        with turn:
            if os.path.exists("/tmp/go"):
                time.sleep(0.15)
            os.pwrite(log, b"c" * 400, at)
            os.fdatasync(log)
            at = (at + 400) % 1000000
            done, took = done + 1, took + time.time() - began
        time.sleep(max(0, began + random.uniform(0.8, 1.2) / 3 - time.time()))


for _ in range(8):
    threading.Thread(target=session, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
