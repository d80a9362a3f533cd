"""A sqlite database whose log of changes has grown to 80 MB since nobody could checkpoint it: prints ready, and copies all of it into the database and
truncates it when /tmp/go exists. Argument: the database."""
import os
import sqlite3
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("checkpoint")
base = sqlite3.connect(sys.argv[1])
base.execute("pragma journal_mode=wal")
base.execute("pragma wal_autocheckpoint=0")
base.execute("create table event (id integer primary key, body blob)")
for _ in range(20):
    base.executemany("insert into event (body) values (?)", ((os.urandom(64000),) for _ in range(62)))
    base.commit()
print("ready", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
base.execute("pragma wal_checkpoint(truncate)")
while True:
    base.execute("insert into event (body) values (?)", (os.urandom(2000),))
    base.commit()
    time.sleep(1)
