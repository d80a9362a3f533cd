"""A pricing service with all its data in its own memory; a request touches 40 pages at random. Arguments: MiB, requests a second."""
import random
import sys

import g_steady

size = int(sys.argv[1])
table = [bytearray(b"p") * 1048576 for _ in range(size)]


def price():
    for _ in range(40):
        table[random.randrange(size)][random.randrange(256) * 4096] ^= 1


g_steady.serve(price, float(sys.argv[2]))
