"""Serves 15 files a second out of a mounted backup, by two threads: looks into the index of the newest backup, and where it is a chain of increments, from
when /tmp/go exists, into those of eleven older ones, one after the other. Reads around the page cache. Argument: the device."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("backupmount")
device, rooms = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 4096) for _ in range(2)]


def look():
    room = rooms.pop()
    for _ in range(12 if os.path.exists("/tmp/go") else 1):
        os.preadv(device, [room], random.randrange(30000) * 4096)
    rooms.append(room)


vd_desk.serve(look, 15, 2)
