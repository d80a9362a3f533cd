"""A web cache with 40 MB of objects, ten requests a second; from when /tmp/go exists each answer is a stream that it keeps in transient memory, 1.5 MB,
for a client that reads slowly. It takes 8 s to start, in which it compiles its configuration and asks its backends."""
import os
import random
import time

import xd_watch

objects, transient = [], []


def setup():
    for _ in range(40):
        objects.append(bytearray(b"o") * (1 << 20))
    time.sleep(8)


def request():
    for _ in range(10):
        objects[random.randrange(40)][random.randrange(256) << 12] = 1
    if os.path.exists("/tmp/go"):
        transient.append(bytearray(b"t") * 1500000)


xd_watch.serve(setup, request, 10, "cache-main")
