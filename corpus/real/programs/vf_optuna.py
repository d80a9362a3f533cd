"""A worker of a search for parameters: writes each step of its trials into its study, a database of sqlite, and commits. Argument: the database."""
import random
import sqlite3
import sys

study = sqlite3.connect(sys.argv[1])
study.execute("pragma synchronous=full")
study.execute("create table value (id integer primary key, trial integer, step integer, loss real)")
step = 0
while True:
    study.execute("insert into value (trial, step, loss) values (?, ?, ?)", (step // 100, step % 100, random.random()))
    study.commit()
    step += 1
