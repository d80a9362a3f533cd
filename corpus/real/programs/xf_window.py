"""A task of a stream processor: 20 batches of events a second, each of which touches 30 pages of its state of 60 MB; from when /tmp/go exists each
also opens windows that are never closed, 600 KB of them."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("streamtask")
state = bytearray(b"s") * (60 << 20)
windows = []


def batch():
    for _ in range(30):
        state[random.randrange(15000) * 4096] = 1
    if os.path.exists("/tmp/go"):
        windows.append(bytearray(b"w") * 600000)


g_steady.serve(batch, 20)
