"""A job that changes one row after the other in the SQLite databases of many tenants at once, each row in a transaction of its own.
Arguments: the folder, the number of tenants. It prints nothing."""
import os
import sqlite3
import sys

with open("/proc/self/comm", "w") as name:
    name.write("tenantjob")
folder, tenants = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
for tenant in range(tenants - 1):
    if not os.fork():
        break
else:
    tenant = tenants - 1
base = sqlite3.connect(f"{folder}/{tenant}.db", isolation_level=None)
base.execute("create table if not exists account (id integer primary key, plan text, body text)")
base.execute("begin")
base.executemany("insert or replace into account values (?, 'old', ?)", ((one, "b" * 400) for one in range(2000)))
base.execute("commit")
while True:
    for one in range(2000):
        base.execute("update account set plan = plan || 'x' where id = ?", (one * 37 % 2000,))
