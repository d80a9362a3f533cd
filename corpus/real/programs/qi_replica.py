"""An engine of replicated volumes rebuilds a replica: reads a volume's file around the page cache, in blocks of 64 KB, with so many threads at once, each of
them from its own place on, and again from the beginning. Arguments: the file, the threads."""
import mmap
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("longhorn")
path, threads = sys.argv[1], int(sys.argv[2])
blocks = os.path.getsize(path) >> 16


def sync_part(number):
    file, buffer = os.open(path, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 1 << 16)
    at = blocks * number // threads
    while True:
        os.preadv(file, [buffer], at << 16)
        at = (at + 1) % blocks


for number in range(threads - 1):
    threading.Thread(target=sync_part, args=(number,), daemon=True).start()
sync_part(threads - 1)
