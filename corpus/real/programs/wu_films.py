"""A media server answers eight clients' requests a second, each with some pieces of 16 KB that it reads around the page cache; with more of them from when
/tmp/go exists. Arguments: the pieces before and after."""
import mmap
import os
import random
import sys
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("mediaserver")
store, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def request():
    if not hasattr(rooms, "room"):
        rooms.room = mmap.mmap(-1, 16384)
    for _ in range(int(sys.argv[2 if os.path.exists("/tmp/go") else 1])):
        os.preadv(store, [rooms.room], random.randrange(32000) << 14)


vd_desk.serve(request, 8, 6)
