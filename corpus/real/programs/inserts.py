"""Four programs commit each row to a database of their own."""
import sqlite3
import sys

base = sqlite3.connect(f"/data/rows{sys.argv[1]}.db", isolation_level=None)
base.execute("create table row (at)")
while True:
    base.execute("insert into row values (1)")
