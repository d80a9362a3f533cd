"""A proxy with a cache on disk: eight requests a second, each reads three blocks of an object around the page cache; from when /tmp/go exists twelve
of its own threads read the headers of all objects as well, to rebuild its index."""
import mmap
import os
import random
import threading
import time

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("diskproxy")
store, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def read():
    if not hasattr(rooms, "room"):
        rooms.room = mmap.mmap(-1, 4096)
    os.preadv(store, [rooms.room], random.randrange(130000) << 12)


def rebuild():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.5)
    while True:
        read()


def request():
    for _ in range(3):
        read()


for _ in range(12):
    threading.Thread(target=rebuild, daemon=True).start()
vd_desk.serve(request, 8)
