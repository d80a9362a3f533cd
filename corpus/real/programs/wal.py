"""A store of keys with a log that is written in place (as etcd's, whose file is allocated before): eight entries a second, each synced.
Argument: the log."""
import os
import random
import sys

import pace

log = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for _ in range(4):
    os.write(log, bytes(1 << 20))
os.fsync(log)
at = 0


def entry():
    global at
    size = random.choice((200, 300, 500, 3000))
    os.pwrite(log, b"e" * size, at)
    os.fdatasync(log)
    at = (at + size) % (4000000)


pace.serve(entry, interval=0.125)
