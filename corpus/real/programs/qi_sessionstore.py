"""A store of sessions in memory in a container: 20 requests a second, each of which uses 60 pages at random out of all the MB that it holds. When /tmp/go
exists it takes 8 MB more each half second, up to the second number. Arguments: the MB at the start, the MB in the end. Prints clock, requests, ms."""
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("sessionstore")
first, most = map(int, sys.argv[1:])
store = [bytearray(b"s") * (1 << 20) for _ in range(first)]


def grow():
    while len(store) < most:
        time.sleep(0.5)
        if os.path.exists("/tmp/go"):
            for _ in range(8):
                store.append(bytearray(b"n") * (1 << 20))


def request():
    for _ in range(60):
        random.choice(store)[random.randrange(256) << 12] ^= 1


threading.Thread(target=grow, daemon=True).start()
g_steady.serve(request, 20)
