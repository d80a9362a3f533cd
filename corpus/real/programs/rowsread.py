"""Four programs read rows of a database of 600 MB at random."""
import random
import sqlite3

base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
while True:
    base.execute("select body from item where id = ?", (random.randrange(600000),)).fetchone()
