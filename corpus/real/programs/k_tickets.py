"""Tickets: 10 requests a second; each reads two blocks at random that are mostly not cached, and each fifth appends a record and syncs it."""
import os
import random

import g_steady

file, book, count = os.open("/data/lite.db", os.O_RDONLY), os.open("/data/tickets", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 0
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    global count
    count += 1
    for _ in range(2):
        os.pread(file, 4096, random.randrange(130000) * 4096)
    if count % 5 == 0:
        os.write(book, b"t" * 300)
        os.fdatasync(book)


g_steady.serve(request, 10)
