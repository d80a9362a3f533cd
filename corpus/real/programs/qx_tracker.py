"""An experiment tracker: commits 8 reported metrics a second to a database of sqlite with a write-ahead log, each synced; prints clock, commits and
ms of each. Argument: the database."""
import sqlite3
import sys

import pace

base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode=wal")
base.execute("pragma synchronous=full")
base.execute("create table if not exists metric (id integer primary key, run int, value real, note text)")


def commit():
    base.execute("insert into metric (run, value, note) values (1, 0.5, ?)", ("n" * 300,))


pace.serve(commit, interval=0.125)
