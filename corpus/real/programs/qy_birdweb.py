"""The page of a bird listener on a small board: twelve times a second it reads a page of the detections around the page cache and saves its session of 4 KB
with fdatasync. Prints clock, requests and ms of each, once a second."""
import mmap
import os
import random
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("birdnet-web")
pages, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()
sessions = os.open("/data/birdsessions", os.O_CREAT | os.O_RDWR, 0o644)
os.write(sessions, b"s" * (4 << 20))
os.fsync(sessions)


def request():
    if not hasattr(rooms, "room"):
        rooms.room = mmap.mmap(-1, 4096)
    os.preadv(pages, [rooms.room], random.randrange(100000) << 12)
    os.pwrite(sessions, b"t" * 4096, random.randrange(1024) << 12)
    os.fdatasync(sessions)


vd_desk.serve(request, 12, 4)
