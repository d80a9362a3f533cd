"""One of many readers of an LMDB database that is mapped: touches its first 160 MB, and some of it again every second."""
import mmap
import random
import time

with open("/data/map/data.mdb", "rb") as file:
    pages = mmap.mmap(file.fileno(), 160 << 20, access=mmap.ACCESS_READ)
for at in range(0, 160, 4):
    pages[at << 20 : (at + 4) << 20 : 4096]
    time.sleep(0.02)
while True:
    for _ in range(20):
        pages[random.randrange(len(pages))]
    time.sleep(1)
