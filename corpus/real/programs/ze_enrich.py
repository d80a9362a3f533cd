"""Enriches 60 events a second, each by one read of a reference table on a remote device, around the page cache: eight reads at a time, and one after the other
from when /tmp/go exists. Argument: the device."""
import mmap
import os
import random
import sys
import threading

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("enrichtask")
device, rooms, one = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 4096) for _ in range(8)], threading.Lock()


def lookup(room):
    os.preadv(device, [room], random.randrange(30000) * 4096)


def event():
    room = rooms.pop()
    if os.path.exists("/tmp/go"):
        with one:
            lookup(room)
    else:
        lookup(room)
    rooms.append(room)


vd_desk.serve(event, 60, 8)
