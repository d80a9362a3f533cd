"""A dispatcher of webhooks has a backlog again: eight threads, of a tenant each, note each attempt in the tenant's sqlite file, in a transaction of its
own with synchronous=full."""
import os
import sqlite3
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("webhookd")
os.makedirs("/data/hooks", exist_ok=True)


def tenant(number):
    base = sqlite3.connect(f"/data/hooks/{number}.db", isolation_level=None, check_same_thread=False)
    base.execute("pragma journal_mode=delete").fetchall()
    base.execute("pragma synchronous=full")
    base.execute("create table if not exists attempt (id integer primary key, answer blob)")
    while True:
        base.execute("insert into attempt (answer) values (?)", (os.urandom(400),))


threads = [threading.Thread(target=tenant, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
