"""A store of time series. As `ingest` it appends 160 KB of samples twenty times a second to a log, which it does not sync. As `backfill` six workers write
blocks of old samples, as fast as they may, and do not sync them. Arguments: the mode, the folder."""
import os
import sys
import threading
import time

import g_steady

mode, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("tsbackfill" if mode == "backfill" else "tsingest")


def log(name):
    return os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def worker(number):
    file, piece = log(f"block{number}"), os.urandom(1 << 18)
    while True:
        os.write(file, piece)
        time.sleep(0.05)


if mode == "ingest":
    head, samples = log("head"), os.urandom(160 << 10)
    g_steady.serve(lambda: os.write(head, samples), 20)
for number in range(6):
    threading.Thread(target=worker, args=(number,)).start()
