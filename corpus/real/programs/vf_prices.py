"""Quotes prices out of tables in its own memory: 15 requests a second, each of which touches 40 pages at random. Argument: MB."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("priced")
size = int(sys.argv[1])
table = [bytearray(b"$") * (1 << 20) for _ in range(size)]


def quote():
    for _ in range(40):
        block = table[random.randrange(size)]
        at = random.randrange(256) * 4096
        block[at] = (block[at] + 1) & 127


g_steady.serve(quote, 15)
