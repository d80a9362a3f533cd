"""Changes 20 values of 4 KB a second of an LMDB database, in a synced transaction each second, while a read transaction that somebody forgot stays open: no
page can be used again, and the file only grows. Argument: the folder."""
import os
import random
import sys
import time

import lmdb

with open("/proc/self/comm", "w") as name:
    name.write("heldreader")
base, value = lmdb.open(sys.argv[1], map_size=1 << 30), os.urandom(3900)
with base.begin(write=True) as change:
    for key in range(2000):
        change.put(b"%06d" % key, value)
forgotten = base.begin()
forgotten.get(b"000001")
while True:
    with base.begin(write=True) as change:
        for _ in range(20):
            change.put(b"%06d" % random.randrange(2000), value)
    time.sleep(1)
