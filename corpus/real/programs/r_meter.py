"""A store of meters: six times a second it reads two pages around the page cache, and appends to its journal, synced."""
import mmap
import os
import random

import g_steady

data, page = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)
journal = os.open("/data/meters", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def reading():
    for _ in range(2):
        os.preadv(data, [page], random.randrange(60000) * 8192)
    os.write(journal, b"m" * 150)
    os.fdatasync(journal)


g_steady.serve(reading, 6)
