"""Resets the usage counters of all tenants: each has a small sqlite database, each counter a transaction of its own. Arguments: `make`, the folder, tenants (makes the
databases); or `reset`, the folder, tenants, workers (resets without end)."""
import os
import sqlite3
import sys

what, folder, tenants = sys.argv[1], sys.argv[2], int(sys.argv[3])
if what == "make":
    os.makedirs(folder)
    for tenant in range(tenants):
        base = sqlite3.connect(f"{folder}/tenant{tenant}.db")
        base.execute("pragma synchronous=off")
        base.execute("create table counter (id integer primary key, used integer, note text)")
        base.executemany("insert into counter values (?, ?, ?)", [(n, n * 7, "n" * 200) for n in range(40)])
        base.commit()
        base.close()
    os.sync()
    sys.exit()
with open("/proc/self/comm", "w") as comm:
    comm.write("quota-reset")
workers = int(sys.argv[4])
me = 0
for number in range(1, workers):
    if os.fork() == 0:
        me = number
        break
turn = 0
while True:
    for tenant in range(me, tenants, workers):
        base = sqlite3.connect(f"{folder}/tenant{tenant}.db")
        for counter in range(4):
            base.execute("update counter set used = ? where id = ?", (turn, (turn * 4 + counter) % 40))
            base.commit()
        base.close()
    turn += 1
