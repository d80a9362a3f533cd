"""Reads 40 random rows a second of a sqlite database of 600 MB; from when /tmp/go exists it maps the database (pragma mmap_size)."""
import os
import random
import sqlite3

import pace

base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
base.execute("pragma cache_size=-500")
mapped = False


def row():
    global mapped
    if not mapped and os.path.exists("/tmp/go"):
        mapped = True
        base.execute("pragma mmap_size=2000000000").fetchall()
    base.execute("select body from item where id = ?", (random.randrange(600000),)).fetchall()


pace.serve(row, batch=2, interval=0.05)
