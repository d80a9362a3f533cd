"""A store of time series: five batches of points a second go into a log that was allocated before, and are synced; then two blocks of old points
are read around the page cache."""
import mmap
import os
import random

import pace

log = os.open("/data/points.wal", os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(log, os.urandom(1 << 20))
os.fsync(log)
old, room, at = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384), 0


def batch():
    global at
    os.pwrite(log, b"p" * 3000, at)
    os.fdatasync(log)
    at = (at + 3000) % 8000000
    for _ in range(2):
        os.preadv(old, [room], random.randrange(30000) * 16384)


pace.serve(batch, interval=0.2)
