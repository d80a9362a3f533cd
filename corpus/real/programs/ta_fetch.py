"""Downloads artifacts in parallel: each thread writes a file as fast as it can, through the cache. Arguments: folder, threads, seconds. Prints
nothing."""
import os
import sys
import threading
import time

open("/proc/self/comm", "w").write("argo-init")
block, end = os.urandom(262144), time.time() + float(sys.argv[3])


def download(number):
    with open(f"{sys.argv[1]}/artifact{number}", "wb", buffering=0) as file:
        written = 0
        while time.time() < end:
            file.write(block)
            written += len(block)
            if written > 100000000:
                file.seek(written := 0)


for number in range(int(sys.argv[2])):
    threading.Thread(target=download, args=(number,)).start()
