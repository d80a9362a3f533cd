"""Loads a feed into an LMDB database in few transactions, each of which stays open for 16 s, as the next rows come from a slow partner."""
import time

import lmdb

with open("/proc/self/comm", "w") as name:
    name.write("feedload")
store = lmdb.open("/data/kv", map_size=64 << 20)
while True:
    with store.begin(write=True) as change:
        for row in range(32):
            change.put(b"feed%06d" % row, b"f" * 500)
            time.sleep(0.5)
    time.sleep(0.3)
