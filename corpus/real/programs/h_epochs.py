"""A trainer takes 40 batches of 512 KB a second, from the beginning to the end of a set of 250 MB, epoch after epoch."""
import os

import pace

data, at = os.open("/data/map/data.mdb", os.O_RDONLY), 0


def batch():
    global at
    os.pread(data, 512 << 10, at)
    at = (at + (512 << 10)) % (250 << 20)


for _ in range(1000):
    batch()
pace.serve(batch, batch=2)
