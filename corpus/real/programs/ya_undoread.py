"""A database reads a row for ten queries a second, around the page cache, from a volume that is far away. From when /tmp/go exists (a session left a snapshot
open) each row has one more old version every second, up to 14: the query goes from one page of undo to the next until it has the version of its snapshot.
Argument: the device."""
import mmap
import os
import random
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("undoread")
device, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)


def query():
    versions = min(14, 1 + int(time.time() - os.stat("/tmp/go").st_mtime)) if os.path.exists("/tmp/go") else 1
    for _ in range(versions):
        os.preadv(device, [room], random.randrange(7600) * 16384)


g_steady.serve(query, 10)
