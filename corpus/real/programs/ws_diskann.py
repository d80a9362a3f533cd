"""Searches of a graph of vectors on a volume: 4 a second, each visits 48 nodes of 4 KB, some at once (the beam), and then their neighbours. When /tmp/go exists
the beam is 1. Arguments: the device, the beam."""
import concurrent.futures
import mmap
import os
import random
import sys
import threading

import pace

with open("/proc/self/comm", "w") as name:
    name.write("vectorsearch")
volume, own = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), threading.local()
nodes = os.lseek(volume, 0, os.SEEK_END) // 4096


def visit(node):
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 4096)
    os.preadv(volume, [own.room], node * 4096)
    return int.from_bytes(own.room[:4], "little")


with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:

    def search():
        beam = 1 if os.path.exists("/tmp/go") else int(sys.argv[2])
        near = [random.randrange(nodes) for _ in range(beam)]
        for _ in range(48 // beam):
            near = [(seen + random.randrange(nodes)) % nodes for seen in pool.map(visit, near)]

    pace.serve(search, interval=0.25)
