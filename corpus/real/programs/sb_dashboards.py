"""Refreshes dashboards: reads the column chunks of a table in order, 1 MB each, 30 a second, and begins again at the end. It has read the first MB of
the file twice before it prints; when the file /tmp/partition exists, the table is longer. Prints in each second: clock, chunks, ms of one.
Arguments: the file, MB of the table, MB with the new partition."""
import os
import sys

import qs_query

qs_query.name("trino-server")
file, short, long = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
qs_query.warm(file, short)
at = [0]


def chunk():
    os.pread(file, 1 << 20, at[0] << 20)
    at[0] += 1
    if at[0] >= short and (at[0] >= long or not os.path.exists("/tmp/partition")):
        at[0] = 0


qs_query.serve(chunk, 30)
