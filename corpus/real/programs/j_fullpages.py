"""Commits 12 transactions a second, each a record of 4 KB in a log that was allocated before, synced; from when /tmp/go exists each commit logs
30 whole pages of 8 KB, as after a checkpoint."""
import os

import g_steady

log = os.open("/data/xlog", os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(log, os.urandom(1 << 20))
os.fsync(log)
at, record, pages = 0, b"r" * 4096, b"p" * (30 * 8192)


def commit():
    global at
    body = pages if os.path.exists("/tmp/go") else record
    if at + len(body) > 8 << 20:
        at = 0
    os.pwrite(log, body, at)
    os.fdatasync(log)
    at += len(body)


g_steady.serve(commit, 12)
