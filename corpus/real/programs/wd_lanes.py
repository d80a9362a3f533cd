"""Three lanes of a message router read and write blocks of a file around the page cache, 10 a second each. Arguments: the file, its MiB."""
import mmap
import os
import random
import sys
import threading
import time

with open(sys.argv[1], "wb") as new:
    for _ in range(int(sys.argv[2])):
        new.write(bytes(1 << 20))
    new.flush()
    os.fsync(new.fileno())
file, took = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), []


def lane():
    page, due = mmap.mmap(-1, 4096), time.time() + random.random() / 10
    while True:
        at, began = random.randrange(int(sys.argv[2]) * 256) * 4096, time.time()
        (os.preadv if random.random() < 0.6 else os.pwritev)(file, [page], at)
        took.append(time.time() - began)
        due = max(due + 0.1, time.time() - 0.1)
        time.sleep(max(0, due - time.time()))


for _ in range(3):
    threading.Thread(target=lane, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told, took[:] = took[:], []
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
