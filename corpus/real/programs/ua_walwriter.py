"""Commits: each writes 64 KB to the next place of a log of 16 MB that exists already, and syncs it. Prints clock, commits and ms in each second.
Arguments: the log, commits a second."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("walwriter")
record = os.urandom(65536)
log = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for at in range(0, 16 << 20, 65536):
    os.pwrite(log, record, at)
os.fsync(log)
place = 0


def commit():
    global place
    os.pwrite(log, record, place)
    os.fdatasync(log)
    place = (place + 65536) % (16 << 20)


g_steady.serve(commit, int(sys.argv[2]))
