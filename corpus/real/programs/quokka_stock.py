"""Books from a stock: takes a lock, reads one page and lets it go. Arguments: file or device (around the cache if a device), bookings a second."""
import fcntl
import mmap
import os
import random
import sys

import quokka_tally

raw = sys.argv[1].startswith("/dev/")
pages = 20000 if raw else 1500
base = os.open(sys.argv[1], os.O_RDONLY | (os.O_DIRECT if raw else 0))
if not raw:
    os.pread(base, pages * 4096, 0)


def book():
    lock = os.open("/tmp/stock.lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with mmap.mmap(-1, 4096) as room:
        os.preadv(base, [room], random.randrange(pages) * 4096)
    os.close(lock)


quokka_tally.serve(book, float(sys.argv[2]))
