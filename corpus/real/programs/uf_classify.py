"""Classifies reads against a database of k-mers that it maps: 12 reads a second, each of which looks at 20 pages at random places of the first so many MB, which
it has read once before. Prints clock, reads and ms of each. Arguments: the database, the MB."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("kraken2")
file, size = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) << 20
for at in range(0, size, 1 << 20):
    os.pread(file, 1 << 20, at)
table = mmap.mmap(file, size, access=mmap.ACCESS_READ)
table.madvise(mmap.MADV_RANDOM)
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
    for _ in range(20):
        table[random.randrange(size)]
    served.append(time.time() - began)
    due = max(due + 1 / 12, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
