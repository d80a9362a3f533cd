"""The file search of a desktop extracts words for its index: ten threads read pieces of 8 KB at random of a file, as fast as the disk gives them.
Argument: the file."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("baloo_file")
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pieces = os.fstat(file).st_size >> 13


def extract():
    while True:
        len(os.pread(file, 8192, random.randrange(pieces) << 13).split(b" "))


for _ in range(10):
    threading.Thread(target=extract).start()
