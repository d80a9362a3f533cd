"""A store of documents with a cache of its own: for each of 20 requests a second it reads two pages of 16 KB at random, around the page cache."""
import mmap
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("docstore")
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)


def find():
    for _ in range(2):
        os.preadv(file, [room], random.randrange(30000) * 16384)


pace.serve(find)
