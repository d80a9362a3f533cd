"""A ledger with a small buffer pool: in each transaction it reads pages of 16 KB around the page cache and then syncs a record of its redo log (if it
commits). Prints clock, transactions and ms of each. Arguments: the file, transactions a second, pages that each reads, 1 to commit."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("ledgerdb")
path, rate, pages, commits = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1"
file = os.open(path, os.O_RDONLY | os.O_DIRECT)
blocks = os.fstat(file).st_size // 16384
redo = os.open("/data/ledgerredo", os.O_CREAT | os.O_RDWR)
os.write(redo, bytes(4 << 20))
os.fsync(redo)
rooms = [mmap.mmap(-1, 16384) for _ in range(8)]


def transaction():
    room = rooms.pop()
    for _ in range(pages):
        os.preadv(file, [room], random.randrange(blocks) * 16384)
    rooms.append(room)
    if commits:
        os.pwrite(redo, b"r" * 600, random.randrange(6000) * 600)
        os.fdatasync(redo)


vd_desk.serve(transaction, rate, 3)
