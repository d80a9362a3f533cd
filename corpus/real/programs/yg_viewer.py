"""Serves views of microscope slides: six a second, each of six tiles of 16 KB at random, around the page cache; of 24 tiles from when /tmp/go exists."""
import mmap
import os
import random
import threading

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("slideserver")
slides, own = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def view():
    if not hasattr(own, "room"):
        own.room = mmap.mmap(-1, 16384)
    for _ in range(24 if os.path.exists("/tmp/go") else 6):
        os.preadv(slides, [own.room], random.randrange(500 << 6) << 14)


quokka_tally.serve(view, 6, 3)
