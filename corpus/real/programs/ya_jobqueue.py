"""A queue of jobs in a table of a database: ten jobs a second, and to lock the next one the server goes over the dead rows at the front of the index, all in
memory. From when /tmp/go exists (a session left a transaction open, and nothing is vacuumed) 8000 more rows die in each second."""
import os
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("jobqueue")
rows = bytearray(b"d") * 400000


def lock():
    dead = min(len(rows), 500 + int(8000 * (time.time() - os.stat("/tmp/go").st_mtime))) if os.path.exists("/tmp/go") else 500
    seen = 0
    for row in range(dead):
        if rows[row] == 100:
            seen += 1


g_steady.serve(lock, 10)
