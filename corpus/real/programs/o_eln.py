"""A laboratory's notebook saves three entries a second in sqlite, each in a transaction of its own."""
import os
import random
import sqlite3

import pace

base = sqlite3.connect("/data/eln.db", isolation_level=None)
base.execute("create table entry (id integer primary key, body blob)")
base.execute("begin")
base.executemany("insert into entry values (?, ?)", ((n, b"e" * 900) for n in range(400)))
base.execute("commit")
pace.serve(lambda: base.execute("update entry set body = ? where id = ?", (os.urandom(900), random.randrange(400))), interval=1 / 3)
