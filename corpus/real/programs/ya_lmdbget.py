"""Gets 16 values a second at random out of a mapped LMDB database that is larger than memory, opened with MDB_NORDAHEAD. When /tmp/go exists (a release has
lost that flag) it opens the database again without it."""
import os
import random

import g_steady
import lmdb

with open("/proc/self/comm", "w") as name:
    name.write("lmdbget")


def opened(readahead):
    return lmdb.open("/data/map", readonly=True, lock=False, map_size=1 << 30, readahead=readahead)


base, plain = opened(False), False


def get():
    global base, plain
    if not plain and os.path.exists("/tmp/go"):
        base.close()
        base, plain = opened(True), True
    with base.begin() as view:
        view.get(b"%08d" % random.randrange(700000))


g_steady.serve(get, 16)
