"""Six transactions a second: each writes a page twice (doublewrite, then the redo), in place, and syncs each of both."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("txnd")
file = os.open("/data/txn", os.O_CREAT | os.O_RDWR)
for _ in range(8):
    os.write(file, os.urandom(1 << 20))
os.fsync(file)
page = os.urandom(16384)


def transaction():
    os.pwrite(file, page, random.randrange(128) * 16384)
    os.fdatasync(file)
    os.pwrite(file, page[: random.choice((512, 1024, 4096))], (4 << 20) + random.randrange(1000) * 4096)
    os.fdatasync(file)


g_steady.serve(transaction, 6)
