"""A shard of a document store: 20 queries a second, each of eight documents at random out of a range of 110 MB that was read before; from when /tmp/go
exists the router sends it the queries of another range, of the same size."""
import os
import random
import sqlite3

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("shardd")
base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True, isolation_level=None)
base.execute("pragma cache_size=-1000")
base.execute("select sum(length(body)) from item where id between 1000 and 100000").fetchone()


def query():
    first = 400000 if os.path.exists("/tmp/go") else 1000
    for _ in range(8):
        base.execute("select body from item where id = ?", (first + random.randrange(99000),)).fetchone()


g_steady.serve(query, 20)
