"""A search server whose terms are read around the page cache, 4 KB each: 6 searches a second come at random, and eight threads serve them. When /tmp/go exists
half of them begin with a wildcard. Arguments: terms read by a search, and by one with a wildcard."""
import mmap
import os
import queue
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
file, waiting, took = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), queue.SimpleQueue(), []


def work():
    room = mmap.mmap(-1, 4096)
    while True:
        came, terms = waiting.get()
        for _ in range(terms):
            os.preadv(file, [room], random.randrange(150000) * 4096)
        took.append(time.time() - came)


for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
due = time.time()
now = int(due)
while True:
    due += random.expovariate(6)
    time.sleep(max(0, due - time.time()))
    wild = os.path.exists("/tmp/go") and random.random() < 0.5
    if waiting.qsize() < 40:
        waiting.put((time.time(), int(sys.argv[1 + wild])))
    if int(time.time()) != now:
        told = took[:]
        del took[: len(told)]
        print(now, len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
        now = int(time.time())
