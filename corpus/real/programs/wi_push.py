"""A news site and its readers: each reader waits about a second, and then opens an article, four reads of 16 KB around the page cache. Prints in each
second clock, articles and mean ms, and 0 when none was served. Arguments: the readers, and those who come when /tmp/go exists."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("newsapi")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
took = []


def reader():
    room = mmap.mmap(-1, 16384)
    while True:
        time.sleep(random.expovariate(1))
        began = time.time()
        for _ in range(4):
            os.preadv(file, [room], random.randrange(30000) * 16384)
        took.append(time.time() - began)


def come(readers):
    for _ in range(readers):
        threading.Thread(target=reader, daemon=True).start()


come(int(sys.argv[1]))
later = int(sys.argv[2])
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
    if later and os.path.exists("/tmp/go"):
        come(later)
        later = 0
