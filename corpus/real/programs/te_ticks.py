"""Builds the order books of an exchange in memory: 20 batches of quotes a second are applied to books of MB, and after /tmp/go exists the batches bring
new instruments too, MB a second, which are kept. Arguments: the MB, MB a second. Prints clock, batches and ms of each once a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("bookbuilder")
books = [bytearray(b"b") * 1048576 for _ in range(int(sys.argv[1]))]
more = int(float(sys.argv[2]) * 1048576 / 20)


def batch():
    for _ in range(100):
        book = books[random.randrange(len(books))]
        book[random.randrange(len(book))] ^= 1
    if os.path.exists("/tmp/go"):
        books.append(bytearray(b"n") * more)


g_steady.serve(batch, 20)
