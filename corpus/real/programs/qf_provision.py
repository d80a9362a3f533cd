"""A message store on a thin volume: each batch of 16 KB goes to a block of 64 KB that it has not used yet, and is synced. Arguments: device, MiB,
batches a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("msgstore")
volume = os.open(sys.argv[1], os.O_RDWR)
places = list(range(int(sys.argv[2]) * 16))
random.shuffle(places)
batch = os.urandom(16384)


def store():
    os.pwrite(volume, batch, places.pop() << 16)
    os.fsync(volume)


g_steady.serve(store, int(sys.argv[3]))
