"""Redeems ten coupons a second, each under a lock of a file that all pods share, and writes it to a book."""
import fcntl
import os

import g_steady

lock = os.open("/data/coupons.lock", os.O_CREAT | os.O_RDWR)
book = os.open("/data/coupons.book", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def redeem():
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(book, b"c" * 120)
    fcntl.flock(lock, fcntl.LOCK_UN)


g_steady.serve(redeem, 10)
