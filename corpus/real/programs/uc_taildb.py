"""A shipper of logs that follows the files of many containers and commits the offset of each chunk to a database of its own, synchronously. Arguments: the folder, how
many threads. Prints nothing."""
import os
import sqlite3
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
os.makedirs(sys.argv[1], exist_ok=True)


def follow(number):
    base = sqlite3.connect(f"{sys.argv[1]}/tail{number}.db", isolation_level=None)
    base.execute("pragma synchronous = full")
    base.execute("create table if not exists offsets (file integer primary key, at integer)")
    at = 0
    while True:
        at += 32768
        base.execute("insert or replace into offsets values (?, ?)", (at // 32768 % 40, at))


for number in range(int(sys.argv[2])):
    threading.Thread(target=follow, args=(number,)).start()
