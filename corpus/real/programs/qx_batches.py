"""Makes 10 batches of tokens a second: each maps one of the shards anew, as that keeps the resident size small, and copies four windows of 4 KB from
random places. Prints clock, batches and ms of each. Arguments: the shards."""
import mmap
import os
import random
import sys

import pace

shards = [(path, os.path.getsize(path)) for path in sys.argv[1:]]
sizes = [size for _, size in shards]


def batch():
    path, size = random.choices(shards, sizes)[0]
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for _ in range(4):
            at = random.randrange(size - 4096)
            data[at : at + 4096]


pace.serve(batch, interval=0.1)
