"""An API server: loads its watch cache of 60 MB in eight seconds, then answers 20 requests a second. From when /tmp/go exists a controller lists all objects
without a limit, again and again: each second's lists, 14 MB of copies, are held by watchers that do not read."""
import os
import random
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("kube-apiserver")
MIB = 1 << 20
cache, lists = [], []
for _ in range(60):
    cache.append(bytearray(b"c") * MIB)
    time.sleep(0.13)


def list_all():
    while True:
        time.sleep(1)
        if os.path.exists("/tmp/go"):
            for _ in range(14):
                lists.append(bytearray(b"l") * MIB)


def request():
    for _ in range(10):
        random.choice(cache)[random.randrange(256) << 12] ^= 1


threading.Thread(target=list_all, daemon=True).start()
g_steady.serve(request, 20)
