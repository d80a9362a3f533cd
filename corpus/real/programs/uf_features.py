"""A store of features: serves 10 requests a second, each of which reads 16 pages at random places of the first so many MB of a file, which it has read
once before. Prints clock, requests and ms of each. Arguments: the file, the MB."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("featurestore")
file, pages = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) * 256
for at in range(0, pages * 4096, 1 << 20):
    os.pread(file, 1 << 20, at)
served = []


def log():
    while True:
        now = int(time.time())
        time.sleep(now + 1 - time.time())
        took, served[:] = served[:], []
        print(now, len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)


threading.Thread(target=log, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(16):
        os.pread(file, 4096, random.randrange(pages) * 4096)
    served.append(time.time() - began)
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
