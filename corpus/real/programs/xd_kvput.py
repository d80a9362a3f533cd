"""Puts eight values of 1 KB a second into an LMDB database, in a synced transaction each."""
import os
import random

import lmdb
import xd_watch

store = None


def setup():
    global store
    os.makedirs("/data/kv", exist_ok=True)
    store = lmdb.open("/data/kv", map_size=64 << 20)


def put():
    with store.begin(write=True) as change:
        change.put(b"key%06d" % random.randrange(4000), b"v" * 1000)


xd_watch.serve(setup, put, 8, "kvput")
