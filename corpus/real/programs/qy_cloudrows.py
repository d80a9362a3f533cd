"""The database of a family's cloud: ten requests a second, each of which reads three pages of 8 KB at random around the page cache. Prints clock, requests and
ms of each, once a second."""
import mmap
import os
import random
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("cloud-db")
rows, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def request():
    if not hasattr(rooms, "room"):
        rooms.room = mmap.mmap(-1, 8192)
    for _ in range(3):
        os.preadv(rows, [rooms.room], random.randrange(60000) << 13)


vd_desk.serve(request, 10, 4)
