"""Follows the pointers of an index, on twelve threads: small reads at random."""
import os
import random
import threading

with open("/proc/self/comm", "w") as name:
    name.write("idxcheck")
file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def follow():
    while True:
        os.pread(file, 4096, random.randrange(140000) * 4096)


for _ in range(12):
    threading.Thread(target=follow).start()
