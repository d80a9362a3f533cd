"""Detections of birds: each writes a clip of sound and its picture and syncs both, then inserts a row into a database of sqlite (rollback journal, synchronous=FULL) in a
transaction of its own. Arguments: the workers. Prints nothing."""
import os
import sqlite3
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("birdnet_analysi")
os.makedirs("/data/birds", exist_ok=True)
first = sqlite3.connect("/data/birds/birds.db", timeout=60)
first.execute("pragma synchronous=full")
first.execute("create table if not exists detections (at real, name text, confidence real, file text)")
first.commit()


def listen(number):
    base = sqlite3.connect("/data/birds/birds.db", timeout=60, isolation_level=None)
    base.execute("pragma synchronous=full")
    count = 0
    while True:
        count += 1
        name = f"/data/birds/clip{number}-{count % 200}"
        for kind in ("wav", "png"):
            clip = os.open(f"{name}.{kind}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
            os.write(clip, b"w" * 24576)
            os.fsync(clip)
            os.close(clip)
        try:
            base.execute("insert into detections values (?, 'Alauda arvensis', 0.93, ?)", (time.time(), name))
        except sqlite3.OperationalError:
            pass


for worker in range(int(sys.argv[1])):
    threading.Thread(target=listen, args=(worker,), daemon=True).start()
time.sleep(10000)
