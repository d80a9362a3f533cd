"""Takes five comments a second into a sqlite database with a WAL, each in a transaction that is synced."""
import random
import sqlite3

import pace

base = sqlite3.connect("/data/comments.db", isolation_level=None)
base.execute("pragma journal_mode=wal").fetchall()
base.execute("pragma synchronous=full")
base.execute("create table if not exists comment (id integer primary key, page int, body text)")


def comment():
    base.execute("insert into comment (page, body) values (?, ?)", (random.randrange(900), "nice " * random.randrange(10, 150)))


pace.serve(comment, interval=0.2)
