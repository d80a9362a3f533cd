"""Six collectors of meter readings, each of which commits six readings a second to its own database of sqlite, in WAL mode. When /tmp/go exists they have
synchronous=FULL and no longer NORMAL. Argument: the folder. Prints in each second clock, readings and ms of each."""
import mmap
import os
import sqlite3
import struct
import sys
import time

# Requests and their ms, as one slot for each worker; the workers and the reporter share it.
COUNTS = mmap.mmap(-1, 4096)


def served(slot, ms):
    count, total = struct.unpack_from("Qd", COUNTS, slot * 16)
    struct.pack_into("Qd", COUNTS, slot * 16, count + 1, total + ms)


def report(slots):
    """Prints for each second clock, requests and ms of each."""
    old, spent, now = 0, 0.0, int(time.time())
    while True:
        time.sleep(max(0.01, now + 1 - time.time()))
        clock = int(time.time())
        if clock == now:
            continue
        rows = [struct.unpack_from("Qd", COUNTS, slot * 16) for slot in range(slots)]
        count, total = sum(row[0] for row in rows), sum(row[1] for row in rows)
        print(now, count - old, *([round((total - spent) / (count - old), 1)] if count > old else []), flush=True)
        for missed in range(now + 1, clock):
            print(missed, 0, flush=True)
        old, spent, now = count, total, clock


def paced(slot, rate, request):
    """Serves requests at a rate. A late one counts from when it was due, half a second at most."""
    due = time.time()
    while True:
        time.sleep(max(0, due - time.time()))
        request()
        served(slot, (time.time() - due) * 1000)
        due = max(due + 1 / rate, time.time() - 0.5)


def comm(name):
    with open("/proc/self/comm", "w") as file:
        file.write(name)


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for slot in range(6):
    if os.fork() == 0:
        comm("meterd")
        base = sqlite3.connect(f"{folder}/meters{slot}", isolation_level=None)
        base.execute("pragma journal_mode = wal")
        base.execute("pragma synchronous = normal")
        base.execute("pragma wal_autocheckpoint = 20000")
        base.execute("create table if not exists reading (id integer primary key, at real, pad text)")
        full = False

        def commit():
            global full
            if not full and os.path.exists("/tmp/go"):
                base.execute("pragma synchronous = full")
                full = True
            base.execute("insert into reading (at, pad) values (?, ?)", (time.time(), "r" * 300))

        paced(slot, 6, commit)
report(6)
