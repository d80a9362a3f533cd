"""A matching engine: 25 orders a second, each walks a part of the book in memory, and is appended to a journal that nobody syncs. Arguments: the journal,
the MB of the book. Prints clock, orders and ms of each once a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("matcher")
journal = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
book = [bytearray(b"b") * 1048576 for _ in range(int(sys.argv[2]))]


def order():
    for _ in range(100):
        level = book[random.randrange(len(book))]
        level[random.randrange(1 << 20)] ^= 1
    os.write(journal, b"35=D|54=1|38=100|44=21.5|10=" * 8)


g_steady.serve(order, 25)
