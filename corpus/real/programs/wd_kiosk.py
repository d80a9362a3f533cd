"""Books 12 sales a second in SQLite, in WAL mode with synchronous=NORMAL; with a rollback journal and FULL as soon as FLAG exists. Arguments: database, FLAG."""
import os
import random
import sqlite3
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("kioskd")
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode=wal")
base.execute("pragma synchronous=normal")
base.execute("create table stock (id integer primary key, note text, sold int)")
base.execute("begin")
base.executemany("insert into stock values (?, ?, 0)", ((number, "x" * 300) for number in range(4000)))
base.execute("commit")
safe = False


def sale():
    global safe
    if not safe and os.path.exists(sys.argv[2]):
        base.execute("pragma journal_mode=delete").fetchone()
        base.execute("pragma synchronous=full")
        safe = True
    base.execute("begin")
    for _ in range(3):
        base.execute("update stock set sold = sold + 1 where id = ?", (random.randrange(4000),))
    base.execute("commit")


g_steady.serve(sale, 12)
