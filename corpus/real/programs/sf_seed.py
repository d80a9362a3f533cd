"""A seeder of tiles reads the source of each, 16 KB at random in a file, with some threads that never wait for each other. Prints nothing. Arguments: the file,
threads."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("mapproxy-seed")
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
blocks = os.fstat(file).st_size >> 14


def worker():
    while True:
        os.pread(file, 16384, random.randrange(blocks) << 14)


for _ in range(int(sys.argv[2])):
    threading.Thread(target=worker).start()
