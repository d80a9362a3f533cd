"""A replica of many sources catches up: for each event each channel appends to its relay log and rewrites its two files of positions, and syncs all three.
Arguments: the folder, the channels."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("mysqld")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def channel(n):
    files = [os.open(f"{folder}/{kind}-{n}", os.O_CREAT | os.O_RDWR) for kind in ("relay-bin", "master.info", "relay-log.info")]
    at = 0
    while True:
        os.pwrite(files[0], b"e" * 350, at)
        at += 350
        os.fdatasync(files[0])
        for file in files[1:]:
            os.pwrite(file, b"%020d" % at * 6, 0)
            os.fdatasync(file)


for n in range(int(sys.argv[2])):
    threading.Thread(target=channel, args=(n,), daemon=True).start()
time.sleep(10000)
