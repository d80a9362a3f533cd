"""Adds paths to a store, as a Nix daemon with fsync-store-paths: five builders each write 12 files, sync each of them and their folder, and enter the path into
a database of sqlite. Argument: the folder."""
import os
import sqlite3
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("nix-daemon")
os.makedirs(sys.argv[1], exist_ok=True)
text, lock = os.urandom(12000), threading.Lock()
base = sqlite3.connect(f"{sys.argv[1]}/db.sqlite", check_same_thread=False, isolation_level=None)
base.execute("create table if not exists valid (path text)")


def build(builder):
    for number in range(100000):
        path = f"{sys.argv[1]}/{builder}-{number}"
        os.mkdir(path)
        for one in range(12):
            with open(f"{path}/{one}", "wb", 0) as file:
                file.write(text)
                os.fsync(file.fileno())
        folder = os.open(path, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        with lock:
            base.execute("insert into valid values (?)", (path,))


for builder in range(5):
    threading.Thread(target=build, args=(builder,)).start()
