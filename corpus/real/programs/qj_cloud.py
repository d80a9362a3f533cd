"""The database of a small Nextcloud on an SD card: six times a second it reads two pages of 8 KB that are not cached, writes one and syncs it. Prints
clock, requests and ms of each, once a second."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("nextcloud-db")
tables, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)
filecache = os.open("/data/filecache.ibd", os.O_CREAT | os.O_RDWR)
os.write(filecache, b"f" * (16 << 20))
os.fsync(filecache)


def request():
    for _ in range(2):
        os.preadv(tables, [room], random.randrange(60000) * 8192)
    os.pwrite(filecache, b"g" * 8192, random.randrange(2048) * 8192)
    os.fdatasync(filecache)


g_steady.serve(request, 6)
