"""Plays a file of 600 MB around the page cache, four blocks of 512 KB a second, one after the other."""
import mmap
import os

import pace

file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
blocks = os.fstat(file).st_size >> 19
room, at = mmap.mmap(-1, 1 << 19), 0


def block():
    global at
    os.preadv(file, [room], at << 19)
    at = (at + 1) % blocks


pace.serve(block, interval=0.25)
