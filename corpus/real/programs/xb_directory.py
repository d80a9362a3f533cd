"""A directory server takes eight changes a second: reads the entry around the page cache, and appends the change to a log that was allocated before, synced."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("slapd")
log = os.open("/data/accesslog", os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(log, os.urandom(1 << 20))
os.fsync(log)
file, room, at = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096), 0


def change():
    global at
    os.preadv(file, [room], random.randrange(100000) * 4096)
    os.pwrite(log, b"c" * 2000, at)
    os.fdatasync(log)
    at = (at + 2000) % 8000000


g_steady.serve(change, 8)
