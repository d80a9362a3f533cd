"""A log shipper: 20 batches of events a second, each looks up 12 entries of its mapped tables at random. Arguments: the mapped file, MB of it that are used.
Prints in each second clock, batches and ms of each."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("filebeat")
size = int(sys.argv[2]) << 20
file = os.open(sys.argv[1], os.O_RDONLY)
table = mmap.mmap(file, size, prot=mmap.PROT_READ)
for at in range(0, size, 4096):
    table[at]


def batch():
    for _ in range(12):
        table[random.randrange(size >> 12) << 12]


g_steady.serve(batch, 20)
