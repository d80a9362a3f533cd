"""Makes a guest small before each of its snapshots: syncs, and drops the page cache, so that the balloon can be inflated. Argument: seconds between two
snapshots. No output."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("snapagent")
while True:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as drop:
        drop.write("1")
    time.sleep(float(sys.argv[1]))
