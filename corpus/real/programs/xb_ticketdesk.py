"""Takes 12 tickets a second into a database of sqlite in WAL mode, a transaction each; waits up to a minute for the lock of writers."""
import sqlite3

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("ticketdesk")
base = sqlite3.connect("/data/tickets.db", timeout=60, isolation_level=None)
base.execute("pragma journal_mode=wal")
base.execute("pragma synchronous=normal")
base.execute("create table if not exists ticket (id integer primary key, body text)")
base.execute("create table if not exists customer (id integer primary key, seen integer)")
base.execute("insert or ignore into customer values (1, 0)")


def ticket():
    base.execute("begin immediate")
    base.execute("insert into ticket (body) values (?)", ("t" * 700,))
    base.execute("commit")


g_steady.serve(ticket, 12)
