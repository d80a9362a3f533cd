"""A node of a currency catches up with its chain: it writes pages of 4 KB at random of its database with pwrite, so many a second, and syncs nothing
(db-sync-mode fastest). Arguments: the database, pages a second."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("monerod")
base, rate = os.open(sys.argv[1], os.O_WRONLY), int(sys.argv[2])
pages, page, due = os.fstat(base).st_size >> 12, os.urandom(4096), time.time()
while True:
    for _ in range(rate // 10):
        os.pwrite(base, page, random.randrange(pages) << 12)
    due = max(due + 0.1, time.time() - 0.5)
    time.sleep(max(0, due - time.time()))
