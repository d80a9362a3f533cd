"""A shop on a volume of its own: five orders a second, each reads three blocks of the stock and appends to the ledger, synced. Argument: the
folder."""
import os
import random
import sys

import pace

stock = os.open(sys.argv[1] + "/stock", os.O_CREAT | os.O_RDWR)
for _ in range(20):
    os.write(stock, os.urandom(1 << 20))
os.fsync(stock)
ledger = os.open(sys.argv[1] + "/ledger", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def order():
    for _ in range(3):
        os.pread(stock, 4096, random.randrange(5120) * 4096)
    os.write(ledger, b"o" * random.randrange(100, 900))
    os.fdatasync(ledger)


pace.serve(order, interval=0.2)
