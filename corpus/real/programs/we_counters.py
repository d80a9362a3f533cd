"""A metrics daemon that keeps updates in memory and writes them out from time to time, each to a page of its own somewhere in the file.
Arguments: the file, its MB, updates of a flush, seconds from one flush to the next."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("rrdcached")
file, pages = os.open(sys.argv[1], os.O_WRONLY), int(sys.argv[2]) * 256
while True:
    due = time.time() + float(sys.argv[4])
    for number in range(int(sys.argv[3])):
        os.pwrite(file, os.urandom(4096), random.randrange(pages) * 4096)
        if number % 10 == 9:
            time.sleep(0.02)
    time.sleep(max(0, due - time.time()))
