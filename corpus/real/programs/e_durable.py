"""A ledger that appends 70 entries a second to a log that was allocated before. It syncs the log once a second; from when /tmp/go exists
after each entry."""
import os
import time

import pace

log = os.open("/data/ledger", os.O_CREAT | os.O_RDWR)
for _ in range(4):
    os.write(log, bytes(1 << 20))
os.fsync(log)
at, synced = 0, time.time()


def entry():
    global at, synced
    os.pwrite(log, b"l" * 250, at)
    at = (at + 250) % 4000000
    if time.time() - synced > 1 or os.path.exists("/tmp/go"):
        os.fdatasync(log)
        synced = time.time()


pace.serve(entry, batch=7, interval=0.1)
