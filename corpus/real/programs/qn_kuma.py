"""A status page: commits the results of its checks, 12 a second, each as a transaction of its own, to a sqlite database. Argument: the database. No output."""
import sqlite3
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("uptime-kuma")
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode = delete")
base.execute("pragma synchronous = full")
base.execute("create table if not exists heartbeat (id integer primary key, at real, ping integer, msg text)")
number = 0
while True:
    number += 1
    base.execute("insert into heartbeat (at, ping, msg) values (?, ?, ?)", (time.time(), number % 90, "200 - OK"))
    time.sleep(1 / 12)
