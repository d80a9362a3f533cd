"""Reads 100 rows of a sqlite database a second, among 60 MB that it has read before; from when /tmp/go exists, among the 60 MB of the next month."""
import os
import random
import sqlite3

import pace

base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
base.execute("pragma cache_size=-500")
base.execute("select sum(length(body)) from item where id < 60000").fetchone()


def row():
    first = 300000 if os.path.exists("/tmp/go") else 0
    base.execute("select body from item where id = ?", (first + random.randrange(60000),)).fetchone()


pace.serve(row, batch=5)
