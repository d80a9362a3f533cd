"""A store of time series writes the batches that it gets into a log of 96 MB, written in advance and used in a circle, and answers without a sync.
Prints in each second: clock, batches, ms of one. Arguments: the log, KB of a batch, batches a second."""
import os
import sys

import qs_query

qs_query.name("influxd")
ROOM, size = 96 << 20, int(sys.argv[2]) * 1024
log = qs_query.write(sys.argv[1], ROOM >> 20)
log, batch, at = os.open(sys.argv[1], os.O_WRONLY), b"w" * size, [0]


def write():
    os.pwrite(log, batch, at[0])
    at[0] = (at[0] + size) % ROOM


qs_query.serve(write, int(sys.argv[3]))
