"""A job of sqlite in WAL mode: commits 60 KB ten times a second without a sync, while a reader keeps its transaction open, so that no checkpoint can
shorten the WAL. Argument: the database."""
import os
import sqlite3
import sys
import time

base = sqlite3.connect(sys.argv[1], isolation_level=None)
for order in ("pragma journal_mode = wal", "pragma synchronous = normal", "create table point (id integer primary key, body blob)"):
    base.execute(order)
base.execute("insert into point (body) values (?)", (b"first",))
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
reader.execute("begin")
reader.execute("select count(*) from point").fetchone()
while True:
    base.execute("insert into point (body) values (?)", (os.urandom(60000),))
    time.sleep(0.1)
