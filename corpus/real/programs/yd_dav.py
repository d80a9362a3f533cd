"""A WebDAV server and its clients: each client waits about a second, and then lists a folder, three reads of 16 KB around the page cache. Prints in each
second clock, lists and mean ms, and 0 when none was served. Arguments: the clients, and the clients from when /tmp/go exists."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("davserver")
before, later = (int(value) for value in sys.argv[1:])
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
took = []


def client():
    room = mmap.mmap(-1, 16384)
    while True:
        time.sleep(random.expovariate(1))
        began = time.time()
        for _ in range(3):
            os.preadv(file, [room], random.randrange(34000) * 16384)
        took.append(time.time() - began)


for _ in range(before):
    threading.Thread(target=client, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
    if before < later and os.path.exists("/tmp/go"):
        for _ in range(later - before):
            threading.Thread(target=client, daemon=True).start()
        before = later
