"""Three programs commit each change of an LMDB database."""
import lmdb
import random
import sys

with lmdb.open(f"/data/change{sys.argv[1]}", map_size=1 << 28) as base:
    while True:
        with base.begin(write=True) as change:
            change.put(b"%08d" % random.randrange(100000), bytes(500))
