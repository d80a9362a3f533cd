"""A cache of MiB of values: 20 requests a second look at 10 places of its 16 MB that are asked for. From when /tmp/go exists a crawler looks for
expired values in all of it, and holds the lock of the values for a MiB at a time. Argument: the MiB."""
import os
import random
import sys
import threading
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("memcached")
held, lock = [bytearray(b"v") * 1048576 for _ in range(int(sys.argv[1]))], threading.Lock()


def crawl():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    while True:
        for block in held:
            with lock:
                for at in range(0, 1048576, 4096):
                    block[at] = 1
            time.sleep(0.002)


def get():
    with lock:
        for _ in range(10):
            held[-1 - random.randrange(16)][random.randrange(1048576)] = 2


threading.Thread(target=crawl, daemon=True).start()
pace.serve(get)
