"""Serves 20 blobs a second from a volume, around the page cache; tries a read that fails three times, and then gives it up, which is no served
request. Arguments: the device, its MiB."""
import mmap
import os
import random
import sys
import threading
import time

volume, pages = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]) * 128
served, took, room = 0, 0.0, mmap.mmap(-1, 8192)


def report():
    global served, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, served, took = served, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began, at = time.time(), random.randrange(pages) * 8192
    for _ in range(3):
        try:
            os.preadv(volume, [room], at)
            served, took = served + 1, took + time.time() - began
            break
        except OSError:
            time.sleep(0.15)
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
