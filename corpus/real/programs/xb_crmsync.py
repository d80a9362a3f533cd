"""Marks a customer within a transaction of sqlite, and asks a service far away, that does not answer, before it commits."""
import sqlite3
import time

with open("/proc/self/comm", "w") as name:
    name.write("crmsync")
base = sqlite3.connect("/data/tickets.db", timeout=60, isolation_level=None)
base.execute("begin immediate")
base.execute("update customer set seen = seen + 1")
time.sleep(10000)
