"""A database whose pool misses: three pages of 16 KB for each of 12 transactions a second, around the page cache."""
import mmap
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("dbserver")
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)


def transaction():
    for _ in range(3):
        os.preadv(file, [room], random.randrange(30000) * 16384)


pace.serve(transaction, interval=1 / 12)
