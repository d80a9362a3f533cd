"""A job of an operator who takes the page cache for a leak of the containers: it syncs and empties the cache of the host again and again. Prints
nothing. Argument: the seconds between two rounds."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("free-cache-cron")
while True:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as drop:
        drop.write("3")
    time.sleep(float(sys.argv[1]))
