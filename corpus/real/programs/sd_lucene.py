"""A graph store with a full-text index in files that only the page cache holds: 20 searches a second read six blocks of 8 KB each at random from the 80 MB of
it, which were read before. When /tmp/go exists a transaction begins whose state takes 8 MB of heap a second. Arguments: the index, the MB that the transaction
takes in the end. Prints in each second clock, searches and ms of each with the wait."""
import os
import random
import sys
import threading
import time

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("graphstore")
BLOCK, BLOCKS = 8192, 10240


def transaction(size):
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    state = []
    while len(state) < size:
        state.append(bytearray(b"t") * 1048576)
        time.sleep(0.125)
    time.sleep(10000)


def search():
    for _ in range(6):
        os.pread(index, BLOCK, random.randrange(BLOCKS) * BLOCK)


native = bytearray(b"n") * (20 << 20)
index = os.open(sys.argv[1], os.O_RDONLY)
for part in range(80):
    os.pread(index, 1 << 20, part << 20)
os.posix_fadvise(index, 0, 0, os.POSIX_FADV_RANDOM)
threading.Thread(target=transaction, args=(int(sys.argv[2]),), daemon=True).start()
vd_desk.serve(search, 20)
