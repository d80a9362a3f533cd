"""Reads random rows of a mapped sqlite database of 600 MB."""
import random
import sqlite3

base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
base.execute("pragma mmap_size=2000000000")
while True:
    base.execute("select length(body), body from item where id = ?", (random.randrange(600000),)).fetchone()
