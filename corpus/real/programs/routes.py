"""Looks up 60 addresses a second in a routing table that is mapped, each by 12 steps of a binary search. Argument: the MiB of the table."""
import mmap
import random
import sys

import pace

size = int(sys.argv[1]) << 20
with open("/data/lite.db", "rb") as file:
    for _ in range(2):
        file.seek(0)
        while file.tell() < size:
            file.read(1 << 20)
    table = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)


def lookup():
    low, high, wanted = 0, size, random.randrange(size)
    for _ in range(12):
        middle = (low + high) // 2
        table[middle]
        low, high = (middle, high) if wanted > middle else (low, middle)


pace.serve(lookup, batch=6, interval=0.1)
