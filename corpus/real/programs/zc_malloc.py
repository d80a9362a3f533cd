"""A web cache with its objects in memory, 180 MB: 15 requests a second, each touches 60 pages of objects at random. From when /tmp/go exists it
stores 20 MB/s more, up to 640 MB, and objects of all ages are asked for."""
import os
import random
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("malloccache")
objects = [bytearray(b"o") * (1 << 20) for _ in range(180)]


def store():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.5)
    while len(objects) < 640:
        objects.append(bytearray(b"o") * (1 << 20))
        time.sleep(0.05)


def request():
    for _ in range(60):
        objects[random.randrange(len(objects))][random.randrange(256) << 12] = 1


threading.Thread(target=store, daemon=True).start()
g_steady.serve(request, 15)
