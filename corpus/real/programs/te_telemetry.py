"""A gateway of a plant: so many times a second it writes the values of 40 sensors in one transaction of sqlite with a write-ahead log that is synced at each
commit. Arguments: the database, transactions a second. Prints clock, transactions and ms of each once a second."""
import random
import sqlite3
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("plcgateway")
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode = wal")
base.execute("pragma synchronous = full")
base.execute("create table if not exists point (at real, sensor integer, value real)")


def commit():
    base.execute("begin")
    base.executemany("insert into point values (?, ?, ?)", [(time.time(), sensor, random.random()) for sensor in range(40)])
    base.execute("commit")


g_steady.serve(commit, float(sys.argv[2]))
