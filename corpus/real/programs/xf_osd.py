"""A node of an object store with erasure coding, around the page cache: serves so many objects a second, each a read of 16 KB; from when /tmp/go
exists (a peer is lost) each object is put together from six shards. Argument: the objects."""
import mmap
import os
import random
import sys
import threading

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("osd")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
own = threading.local()


def get():
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 16384)
    for _ in range(6 if os.path.exists("/tmp/go") else 1):
        os.preadv(file, [own.room], random.randrange(34000) * 16384)


quokka_tally.serve(get, float(sys.argv[1]), 12)
