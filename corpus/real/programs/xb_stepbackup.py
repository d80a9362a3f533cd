"""Copies a database of sqlite to another disk by its online backup, 1 MB at a time, with a rest of a third of a second after each. Arguments: both files."""
import sqlite3
import sys

with open("/proc/self/comm", "w") as name:
    name.write("stepbackup")
source, target = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True), sqlite3.connect(sys.argv[2])
target.execute("pragma synchronous=off")
source.backup(target, pages=256, sleep=0.33)
