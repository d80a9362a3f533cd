"""Settles six trades a second: reads two pages of positions around the page cache, and appends to a ledger, synced. Argument: the folder."""
import mmap
import os
import random
import sys

import g_steady

os.makedirs(sys.argv[1], exist_ok=True)
positions, page = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)
ledger = os.open(sys.argv[1] + "/trades", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def trade():
    for _ in range(2):
        os.preadv(positions, [page], random.randrange(60000) * 8192)
    os.write(ledger, b"t" * 400)
    os.fdatasync(ledger)


g_steady.serve(trade, 6)
