"""A row store whose pool misses: ten transactions a second, each of three pages of 16 KB read around the page cache, and a record of redo, synced."""
import mmap
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("rowstore")
redo = os.open("/data/redo0", os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(redo, os.urandom(1 << 20))
os.fsync(redo)
file, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 16384) for _ in range(2)]


def transaction():
    room = rooms.pop()
    for _ in range(3):
        os.preadv(file, [room], random.randrange(30000) * 16384)
    rooms.append(room)
    os.pwrite(redo, b"r" * 800, random.randrange(10000) * 800)
    os.fdatasync(redo)


vd_desk.serve(transaction, 10, 2)
