"""The journal of a bookie, allocated in advance: each publish writes an entry and syncs it. Prints in each second: clock, publishes, ms of one.
Arguments: the journal, KB of an entry, publishes a second."""
import os
import sys

import qs_query

qs_query.name("bookie")
size, room = int(sys.argv[2]) * 1024, 32 * 1048576
journal = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
os.write(journal, bytes(room))
os.fsync(journal)
at = [0]


def publish():
    os.pwrite(journal, b"p" * size, at[0])
    os.fdatasync(journal)
    at[0] = (at[0] + size) % room


qs_query.serve(publish, int(sys.argv[3]))
