"""A health check of a node of a cluster, which drops the page cache because it wants to see free memory. Argument: seconds between two checks."""
import os
import sys
import time

open("/proc/self/comm", "w").write("nhc")
while True:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as knob:
        knob.write("1")
    time.sleep(float(sys.argv[1]))
