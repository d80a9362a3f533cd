"""A benchmark of storage for training: before each epoch it drops the caches of the host, so that the epoch is read from the device, and then reads its set at
10 MB/s for eight seconds. Prints nothing. Argument: the file of the set."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("dlio_benchmark")
file = os.open(sys.argv[1], os.O_RDONLY)
while True:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as knob:
        knob.write("3")
    for block in range(80):
        os.pread(file, 1 << 20, block << 20)
        time.sleep(0.1)
