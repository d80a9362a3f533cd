"""A broker appends batches to its log and answers when write() returns; it never syncs. Prints in each second: clock, batches, ms of one.
Arguments: the log, KB of a batch, batches a second."""
import os
import sys

import qs_query

qs_query.name("kafka")
log = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
batch = b"m" * (int(sys.argv[2]) * 1024)
qs_query.serve(lambda: os.write(log, batch), int(sys.argv[3]))
