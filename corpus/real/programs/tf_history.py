"""Kernels of notebooks, each of which commits each cell that it runs to the sqlite database of its history. Arguments: the folder; the kernels;
seconds between two cells."""
import os
import sqlite3
import sys
import time

open("/proc/self/comm", "w").write("ipykernel")
number, pause = int(sys.argv[2]), float(sys.argv[3])
for own in range(number):
    if own == number - 1 or not os.fork():
        break
folder = f"{sys.argv[1]}/student{own}"
os.makedirs(folder, exist_ok=True)
base = sqlite3.connect(f"{folder}/history.sqlite", isolation_level=None)
base.execute("create table if not exists history (line integer primary key, source text)")
while True:
    base.execute("insert into history (source) values (?)", ("df.groupby('x').mean()" * 20,))
    time.sleep(pause)
