"""The log of a coordination service, written in advance: each transaction writes 1 KB after the one before and syncs it.
Prints in each second: clock, transactions, ms of one. Arguments: the log, transactions a second."""
import os
import sys

import qs_query

qs_query.name("clickhouse-keep")
ROOM = 24 << 20
log = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for _ in range(ROOM >> 20):
    os.write(log, bytes(1 << 20))
os.fsync(log)
at = [0]


def transaction():
    os.pwrite(log, b"z" * 1024, at[0])
    os.fdatasync(log)
    at[0] = (at[0] + 1024) % ROOM


qs_query.serve(transaction, int(sys.argv[2]))
