"""Ten transactions a second: each reads two pages around the page cache, and writes its redo, synced, into a log that was allocated before."""
import mmap
import os
import random

import g_steady

log = os.open("/data/redo", os.O_CREAT | os.O_RDWR)
for _ in range(4):
    os.write(log, os.urandom(1 << 20))
os.fsync(log)
file, room, at = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384), 0


def transaction():
    global at
    for _ in range(2):
        os.preadv(file, [room], random.randrange(500 * 64) * 16384)
    os.pwrite(log, b"o" * 512, at)
    os.fdatasync(log)
    at = (at + 512) % (4 << 20)


g_steady.serve(transaction, 10)
