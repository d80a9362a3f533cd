"""Runs of a scheduler that are made up for: each reads its partition in blocks of 64 KB, around the page cache, as fast as it can. Arguments: the
file, the runs. Prints nothing."""
import mmap
import os
import sys

runs, number = int(sys.argv[2]), 0
while number < runs - 1 and os.fork():
    number += 1
with open("/proc/self/comm", "w") as comm:
    comm.write("airflow-task")
file, block = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 65536)
while True:
    for at in range(number * 30 << 20, (number + 1) * 30 << 20, 65536):
        os.preadv(file, [block], at)
