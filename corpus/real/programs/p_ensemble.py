"""Commits ten transactions a second to a log that was allocated before, and syncs each. From when /tmp/go exists a thread writes snapshots of 120 MB
beside it, one after the other, and syncs each of them at its end."""
import os
import threading
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("zookeeper")
log, at, piece = os.open("/data/txnlog", os.O_CREAT | os.O_RDWR), 0, os.urandom(1 << 20)
for _ in range(4):
    os.write(log, piece)
os.fsync(log)


def snapshots():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    for number in range(1000):
        file = os.open(f"/data/snapshot.{number % 3}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for _ in range(120):
            os.write(file, piece)
        os.fsync(file)
        os.close(file)


def commit():
    global at
    os.pwrite(log, b"t" * 1000, at)
    os.fdatasync(log)
    at = (at + 1000) % 4000000


threading.Thread(target=snapshots, daemon=True).start()
pace.serve(commit, interval=0.1)
