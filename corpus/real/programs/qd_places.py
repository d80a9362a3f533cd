"""A browser: each page that it loads is a visit in a sqlite database of the profile, committed with all syncs of a rollback journal. Arguments: the
database, pages a second."""
import os
import sqlite3
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("firefox")
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma journal_mode=delete")
base.execute("pragma synchronous=full")
base.execute("create table if not exists visit (id integer primary key, url text)")
while True:
    began = time.time()
    base.execute("insert into visit (url) values (?)", ("https://news.example/%d" % time.time_ns() * 20,))
    time.sleep(max(0, began + 1 / float(sys.argv[2]) - time.time()))
