"""An object store: answers 15 requests a second, each reads 16 KB of an object at random. From when /tmp/go exists it also lists a bucket with its metadata: twelve
threads read the small file of each key."""
import os
import random
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("objectd")
disk = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(disk, 0, 0, os.POSIX_FADV_RANDOM)


def listing():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    while True:
        os.pread(disk, 4096, random.randrange(560 << 8) << 12)


for _ in range(12):
    threading.Thread(target=listing, daemon=True).start()
g_steady.serve(lambda: os.pread(disk, 16384, random.randrange(560 << 6) << 14), 15)
