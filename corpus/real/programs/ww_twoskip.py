"""A worker that builds the conversations of mailboxes again: for each message it appends a record to the user's database and syncs it, then changes its header and
syncs that. Argument: the database."""
import os
import random
import sys

with open("/proc/self/comm", "w") as name:
    name.write("ctl_convdb")
base, record, at = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR), random.randbytes(700), 4096
while True:
    os.pwrite(base, record, at)
    os.fdatasync(base)
    at += len(record)
    os.pwrite(base, at.to_bytes(8, "big"), 0)
    os.fdatasync(base)
