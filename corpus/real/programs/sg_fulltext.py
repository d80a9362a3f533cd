"""The indexer of a document server reads pieces of 8 KB at random places of the documents, around the page cache, in several workers, as fast as it may.
Arguments: the file of documents, the number of workers."""
import mmap
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("fulltextsearch")
documents = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
places = os.fstat(documents).st_size // 8192


def work():
    buffer = mmap.mmap(-1, 8192)
    while True:
        os.preadv(documents, [buffer], random.randrange(places) * 8192)
        time.sleep(0.002)


for _ in range(int(sys.argv[2])):
    threading.Thread(target=work, daemon=True).start()
time.sleep(10000)
