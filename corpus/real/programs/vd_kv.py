"""A key-value service on LMDB: makes a store of 110 000 values of 900 bytes in /data/kv, then answers 12 requests a second of four keys at random. It
opens the store again when its file was replaced."""
import os
import random

import lmdb

import g_steady

open("/proc/self/comm", "w").write("kvserver")
KEYS, FILE = 110000, "/data/kv/data.mdb"
os.makedirs("/data/kv", exist_ok=True)
with lmdb.open("/data/kv", map_size=1 << 28) as store:
    for first in range(0, KEYS, 10000):
        with store.begin(write=True) as change:
            for key in range(first, first + 10000):
                change.put(b"%08d" % key, b"%0900d" % key, append=True)
now = None


def opened():
    """The store, opened again if it was replaced."""
    global now, store
    try:
        found = os.stat(FILE).st_ino
    except FileNotFoundError:
        return store
    if found != now:
        if now:
            store.close()
        store, now = lmdb.open("/data/kv", readonly=True, lock=False, readahead=False), found
    return store


with opened().begin() as look:
    for key in range(KEYS):
        look.get(b"%08d" % key)


def request():
    with opened().begin() as look:
        for _ in range(4):
            look.get(b"%08d" % random.randrange(KEYS))


g_steady.serve(request, 12)
