"""Counts events in windows of time: keeps 1 MB of each of the last 50 chunks, twelve chunks a second; 400 of them (longer windows) when /tmp/go
exists."""
import collections
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("windowjob")
kept = collections.deque()


def chunk():
    kept.append(bytearray(b"e") * (1 << 20))
    most = 400 if os.path.exists("/tmp/go") else 50
    while len(kept) > most:
        kept.popleft()


g_steady.serve(chunk, 12)
