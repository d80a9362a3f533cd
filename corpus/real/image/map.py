"""Makes a database that programs map: 700 000 values of 900 bytes in LMDB."""
import random

import lmdb

random.seed(7)
with lmdb.open("/data/map", map_size=1 << 30) as base, base.begin(write=True) as change:
    for key in range(700000):
        change.put(b"%08d" % key, random.randbytes(900), append=True)
