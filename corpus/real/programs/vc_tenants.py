"""The cron jobs of tenants of a web application, all in the same minute: each writes its job list to its own sqlite database, a transaction
for each row. Argument: the tenants."""
import os
import sqlite3
import sys
import time

os.makedirs("/data/tenants", exist_ok=True)
for tenant in range(int(sys.argv[1])):
    if os.fork() == 0:
        with open("/proc/self/comm", "w") as comm:
            comm.write("php")
        base = sqlite3.connect(f"/data/tenants/{tenant}.db", isolation_level=None)
        base.execute("create table if not exists job (at integer primary key, body blob)")
        while True:
            base.execute("insert into job (body) values (?)", (bytes(600),))
time.sleep(1000)
