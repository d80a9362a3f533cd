"""A store of 90 MB: each of ten requests a second changes 120 pages of it at random. When /tmp/go exists it forks a child that keeps the store as
it was, and sends it slowly to somewhere else."""
import os
import random
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("ordersd")
store, child = [bytearray(b"s") * (1 << 20) for _ in range(90)], None


def request():
    global child
    if child is None and os.path.exists("/tmp/go"):
        child = os.fork()
        if not child:
            time.sleep(10000)
    for _ in range(120):
        random.choice(store)[random.randrange(256) << 12] = 1


g_steady.serve(request, 10)
