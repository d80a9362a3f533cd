"""ZooKeeper's log of transactions, allocated in advance: each transaction writes a record and syncs it. Prints in each second: clock, transactions,
ms of one. Arguments: the log, transactions a second."""
import os
import sys

import qs_query

qs_query.name("zookeeper")
log = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
os.write(log, bytes(16 * 1048576))
os.fsync(log)
at = [0]


def transaction():
    os.pwrite(log, b"t" * 1024, at[0])
    os.fdatasync(log)
    at[0] = (at[0] + 1024) % (16 * 1048576)


qs_query.serve(transaction, int(sys.argv[2]))
