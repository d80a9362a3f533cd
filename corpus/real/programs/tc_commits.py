"""A database of a test suite: each commit writes one page of a log that was written full before, and syncs it. Prints in each second clock, commits
and ms. Arguments: its name, the log, commits a second."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
file, at = os.open(sys.argv[2], os.O_CREAT | os.O_RDWR), 0
os.write(file, bytes(4 << 20))
os.fsync(file)


def commit():
    global at
    os.pwrite(file, b"c" * 4096, at)
    os.fdatasync(file)
    at = (at + 4096) % (4 << 20)


g_steady.serve(commit, float(sys.argv[3]))
