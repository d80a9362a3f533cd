"""sqlite gets rows in transactions of 40 000."""
import sqlite3

base = sqlite3.connect("/data/load.db")
base.execute("create table row (at integer primary key, body blob)")
while True:
    base.executemany("insert into row (body) values (?)", ((bytes(700),) for _ in range(40000)))
    base.commit()
