"""Keeps 400 gauges, each in a page of its own somewhere in a mapped file, and changes so many of them a second, without a sync. Arguments: the file,
the changes a second."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("gaugestore")
gauges = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 0)
pages, rate, due = random.sample(range(len(gauges) // 4096), 400), float(sys.argv[2]), time.time()
while True:
    for _ in range(5):
        gauges[random.choice(pages) * 4096] = random.randrange(256)
    due = max(due + 5 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
