"""An IMAP server lists eight folders a second: two blocks of its index cache for each, read around the page cache; from when /tmp/go exists that cache
is gone, and it reads the head of each of 24 messages."""
import mmap
import os
import random
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("imap-fetch")
store, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def folder():
    if not hasattr(rooms, "room"):
        rooms.room = mmap.mmap(-1, 4096)
    for _ in range(24 if os.path.exists("/tmp/go") else 2):
        os.preadv(store, [rooms.room], random.randrange(128000) << 12)


vd_desk.serve(folder, 8, 6)
