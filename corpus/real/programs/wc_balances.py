"""Keeps MB of balances in memory, and changes 40 of them, on as many pages, in each of 15 requests a second. Argument: the MB."""
import random
import sys

import wc_load

size = int(sys.argv[1]) << 20
book = bytearray(b"b") * size


def book_one():
    for _ in range(40):
        book[random.randrange(size)] = 1


wc_load.serve(book_one, 15, "ledger")
