"""A full-text index of sqlite. As `make` it is filled with notes, in forty transactions. As `merge` its segments are merged in small steps, each with ten new
notes and a commit of its own, and a rest. Arguments: the mode, the file, seconds of the rest."""
import random
import sqlite3
import sys
import time

mode, name, rest = sys.argv[1], sys.argv[2], float(sys.argv[3])
base = sqlite3.connect(name)
random.seed(3)


def notes(count):
    base.executemany("insert into note values (?)", ((" ".join(f"w{random.randrange(9000)}" for _ in range(30)),) for _ in range(count)))
    base.commit()


if mode == "make":
    base.execute("create virtual table note using fts5(body)")
    base.execute("insert into note(note, rank) values ('automerge', 0)")
    for _ in range(40):
        notes(50)
while mode == "merge":
    base.execute("insert into note(note, rank) values ('merge', -16)")
    notes(10)
    time.sleep(rest)
