"""A mail store in sqlite: files 12 messages a second, each in a transaction; with PRAGMA synchronous=EXTRA as soon as /tmp/extra exists, before
without waiting for the disk. Argument: the database."""
import os
import sqlite3
import sys
import threading
import time

served, body = [0, 0.0], os.urandom(3000)


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        done, took = served
        served[:] = [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


with open("/proc/self/comm", "w") as comm:
    comm.write("mailbase")
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode=delete")
base.execute("pragma synchronous=off")
base.execute("create table if not exists mail (id integer primary key, seen real, body blob)")
base.execute("create index if not exists by_seen on mail (seen)")
threading.Thread(target=report, daemon=True).start()
safe, due = False, time.time()
while True:
    began = time.time()
    if not safe and os.path.exists("/tmp/extra"):
        base.execute("pragma synchronous=extra")
        safe = True
    base.execute("insert into mail (seen, body) values (?, ?)", (began, body))
    served[0] += 1
    served[1] += time.time() - began
    due = max(due + 1 / 12, time.time() - 1 / 12)
    time.sleep(max(0.0, due - time.time()))
