"""Runs of an experiment log each step of theirs in a sqlite database: a transaction for each number. Argument: the runs."""
import os
import sqlite3
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("tracklog")
for number in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
base = sqlite3.connect(f"/data/run{os.getpid()}.db", isolation_level=None)
base.execute("pragma synchronous=full")
base.execute("create table metric (step integer primary key, loss real, note text)")
step = 0
while True:
    step += 1
    base.execute("insert into metric values (?, ?, ?)", (step, 1 / step, "n" * 200))
