"""A recorder of a smart home: a thread for each of some devices inserts a state in a database of its own, and commits it, as fast as it can. Arguments:
the folder, the devices."""
import os
import sqlite3
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("hassrecorder")
os.makedirs(sys.argv[1], exist_ok=True)


def device(number):
    base = sqlite3.connect(f"{sys.argv[1]}/device{number}.db", isolation_level=None)
    base.execute("pragma synchronous=full")
    base.execute("create table if not exists states (id integer primary key, state text)")
    while True:
        base.execute("insert into states (state) values (?)", ("21.5 degrees " * 8,))


for number in range(int(sys.argv[2])):
    threading.Thread(target=device, args=(number,), daemon=True).start()
threading.Event().wait()
