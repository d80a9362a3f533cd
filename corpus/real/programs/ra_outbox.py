"""An outbox of events: appends a record and makes it durable (fdatasync) at a steady rate. Arguments: the file, bytes of a record, records a second. Prints clock,
records, ms."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("outboxd")
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
record = b"e" * int(sys.argv[2])


def store():
    os.write(file, record)
    os.fdatasync(file)


g_steady.serve(store, float(sys.argv[3]))
