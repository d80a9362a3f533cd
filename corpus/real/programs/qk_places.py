"""A browser that notes four visits a second in its database of places, each in a transaction of its own. Argument: the database. Prints each second clock,
visits, and ms of one."""
import os
import sqlite3
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("firefox")
if os.path.exists(sys.argv[1]):
    os.unlink(sys.argv[1])
places = sqlite3.connect(sys.argv[1], isolation_level=None)
places.execute("pragma synchronous = full")
places.execute("create table visits (id integer primary key, url text, at real)")


def visit():
    places.execute("insert into visits (url, at) values (?, ?)", ("https://example.org/" + "p" * 80, time.time()))


g_steady.serve(visit, 4)
