"""The auditor of an object store: eight workers each read objects of 64 KB around the page cache, one after the other, and hash them."""
import hashlib
import mmap
import os
import random
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("objauditor")
file = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT)


def audit():
    room = mmap.mmap(-1, 65536)
    while True:
        os.preadv(file, [room], random.randrange(9000) * 65536)
        hashlib.md5(room).digest()


for _ in range(8):
    threading.Thread(target=audit).start()
