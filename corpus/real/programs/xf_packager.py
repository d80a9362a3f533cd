"""Packages video on request, eight times a second: two pieces of 32 KB are read around the page cache for each, and twelve (all renditions) from
when /tmp/go exists."""
import mmap
import os
import random
import threading

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("packagerd")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
own = threading.local()


def package():
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 32768)
    for _ in range(12 if os.path.exists("/tmp/go") else 2):
        os.preadv(file, [own.room], random.randrange(17000) * 32768)


quokka_tally.serve(package, 8, 6)
