"""Saves 15 shopping carts a second in sqlite, in a transaction each: in WAL mode with synchronous=normal, and from when /tmp/go exists with
a journal that is deleted after each transaction, and synchronous=full."""
import os
import random
import sqlite3

import pace

base = sqlite3.connect("/data/cart.db", isolation_level=None)
base.execute("pragma journal_mode=wal").fetchall()
base.execute("pragma synchronous=normal")
base.execute("pragma wal_autocheckpoint=300")
base.execute("create table cart (id integer primary key, body blob)")
base.execute("begin")
base.executemany("insert into cart values (?, ?)", ((n, b"c" * 600) for n in range(500)))
base.execute("commit")
released = False


def save():
    global released
    if not released and os.path.exists("/tmp/go"):
        released = True
        base.execute("pragma journal_mode=delete").fetchall()
        base.execute("pragma synchronous=full")
    base.execute("update cart set body = ? where id = ?", (os.urandom(600), random.randrange(500)))


pace.serve(save, interval=1 / 15)
