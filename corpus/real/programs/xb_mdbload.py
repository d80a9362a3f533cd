"""Loads records into an LMDB database, 2 MB in each transaction, as fast as MB/s, and syncs after each. Arguments: the folder, MB/s."""
import os
import sys
import time

import lmdb

with open("/proc/self/comm", "w") as name:
    name.write("mdbload")
pause, value, key = 2 / float(sys.argv[2]), os.urandom(3900), 0
with lmdb.open(sys.argv[1], map_size=1 << 30) as base:
    while key < 150000:
        began = time.time()
        with base.begin(write=True) as change:
            for _ in range(512):
                change.put(b"%012d" % key, value, append=True)
                key += 1
        time.sleep(max(0, began + pause - time.time()))
