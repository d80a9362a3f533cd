"""Makes a sqlite database of 600 000 rows of 900 bytes."""
import random
import sqlite3

random.seed(7)
base = sqlite3.connect("/data/lite.db")
base.execute("create table item (id integer primary key, body blob)")
base.executemany("insert into item values (?, ?)", ((n, random.randbytes(900)) for n in range(600000)))
base.commit()
