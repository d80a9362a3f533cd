"""Searches a large tree of sources with threads: each reads small files of 24 KB that nobody has read before, here pieces of the file that is given.
Arguments: file, threads. Prints nothing."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("rg")
tree = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(tree, 0, 0, os.POSIX_FADV_RANDOM)
files = os.fstat(tree).st_size // 24576


def search():
    while True:
        text = os.pread(tree, 24576, random.randrange(files) * 24576)
        text.find(b"deprecated_api")


for _ in range(int(sys.argv[2])):
    threading.Thread(target=search, daemon=True).start()
time.sleep(10000)
