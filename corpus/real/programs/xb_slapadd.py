"""Imports entries into an LMDB database, each in a transaction of its own that is synced. Argument: the folder."""
import random
import sys

import lmdb

with open("/proc/self/comm", "w") as name:
    name.write("slapadd")
with lmdb.open(sys.argv[1], map_size=1 << 28) as base:
    for entry in range(10**9):
        with base.begin(write=True) as change:
            change.put(b"id%012d" % entry, bytes(900))
            change.put(b"uid%010d" % random.randrange(10**9), b"%012d" % entry)
            change.put(b"mail%010d" % random.randrange(10**9), b"%012d" % entry)
