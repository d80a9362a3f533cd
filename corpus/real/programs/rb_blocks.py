"""A store of metrics that maps 240 MB of blocks, which it has read at its start, and answers 10 queries a second of 100 pages each. Argument: the file.
Prints clock, queries and ms of one."""
import mmap
import random
import sys

import pace

HELD = 240 << 20
with open(sys.argv[1], "rb") as file:
    for _ in range(2):
        file.seek(0)
        for _ in range(HELD >> 20):
            file.read(1 << 20)
    blocks = mmap.mmap(file.fileno(), HELD, prot=mmap.PROT_READ)


def query():
    for _ in range(100):
        blocks[random.randrange(HELD)]


pace.serve(query, interval=0.1)
