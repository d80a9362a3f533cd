"""Workers of a site answer a crawler that asks for every old page: each reads blocks of 4 KiB at random that nobody has cached. Arguments: file, MB, workers."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("lsphp")
base = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)


def answer():
    while True:
        os.pread(base, 4096, random.randrange(int(sys.argv[2]) * 256) * 4096)


for _ in range(int(sys.argv[3])):
    threading.Thread(target=answer).start()
