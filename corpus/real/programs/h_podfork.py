"""Holds 90 MB, and reads 12 blocks of 130 MB of a file ten times a second; when /tmp/go exists a forked worker changes its copy of what is held."""
import os
import time

import h_hot
import h_open

held, child = bytearray(b"m") * (90 << 20), None
index = h_hot.Hot("/data/map/data.mdb", 130)


def work():
    while True:
        for at in range(0, len(held), 4096):
            held[at] = 1
            if at % (1 << 20) == 0:
                time.sleep(0.1)


def request():
    global child
    if child is None and os.path.exists("/tmp/go"):
        child = os.fork()
        if not child:
            work()
    index.read(12)


h_open.serve(request, 10)
