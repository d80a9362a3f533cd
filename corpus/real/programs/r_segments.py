"""A message store: three consumers read 8 KB each at random, around the page cache, 30 times a second together."""
import mmap
import os
import random
import threading
import time

file, done, took = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), 0, 0.0


def consumer():
    global done, took
    room = mmap.mmap(-1, 8192)
    while True:
        began = time.time()
        os.preadv(file, [room], random.randrange(60000) * 8192)
        spent = time.time() - began
        done, took = done + 1, took + spent
        time.sleep(max(0, 0.1 - spent))


for _ in range(3):
    threading.Thread(target=consumer, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
