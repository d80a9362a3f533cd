"""Ten commits a second into a log that was allocated before, each synced. From when /tmp/go exists a thread writes a checkpoint: the changed
pages of a data file of 40 MB, 40 in a second, and syncs them each second."""
import os
import random
import threading
import time

import g_steady

log, data, at = os.open("/data/fuzzylog", os.O_CREAT | os.O_RDWR), os.open("/data/fuzzydata", os.O_CREAT | os.O_RDWR), 0
for file, size in ((log, 2), (data, 40)):
    for _ in range(size):
        os.write(file, os.urandom(1 << 20))
    os.fsync(file)


def checkpoint():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    while True:
        for _ in range(4):
            first = random.randrange(1000) * 10
            os.pwrite(data, b"d" * 40960, first * 4096)
            time.sleep(0.2)
        os.fdatasync(data)


def commit():
    global at
    os.pwrite(log, b"c" * 300, at)
    os.fdatasync(log)
    at = (at + 300) % 2000000


threading.Thread(target=checkpoint, daemon=True).start()
g_steady.serve(commit, 10)
