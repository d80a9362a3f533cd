"""Takes five bookings a second: reads two blocks of 8 KB at random from a file larger than the cache, and appends the booking and syncs it."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("bookingd")
base = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)
book = os.open("/data/bookings", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def booking():
    for _ in range(2):
        os.pread(base, 8192, random.randrange(70000) * 8192)
    os.write(book, b"b" * 600)
    os.fdatasync(book)


g_steady.serve(booking, 5)
