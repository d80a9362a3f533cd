"""A client that synchronizes a folder: for each file it writes 6 KB and records it in its sqlite journal, in a transaction of its own, with journal mode
TRUNCATE and full synchronization. Goes on as fast as the disk allows. Argument: the folder."""
import os
import sqlite3
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("nextcloud")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
base = sqlite3.connect(folder + "/.sync.db", isolation_level=None)
base.execute("pragma journal_mode = truncate")
base.execute("pragma synchronous = full")
base.execute("create table if not exists metadata (path text primary key, etag text, size int)")
number = 0
while True:
    with open(f"{folder}/note{number}", "wb") as file:
        file.write(b"n" * 6000)
    base.execute("insert into metadata values (?, ?, 6000)", (f"notes/note{number}", f"{number:032x}"))
    number += 1
