"""Keeps the scores of players in its own memory, of MiB: 15 times a second (with pauses that vary) it changes 10 of them and reads the three pages
after each. Argument: the MiB."""
import random
import sys

import h_open

size = int(sys.argv[1])
table = [bytearray(b"s") * (1 << 20) for _ in range(size)]


def request():
    for _ in range(10):
        block, at = table[random.randrange(size)], random.randrange(252) << 12
        block[at] = (block[at] + 1) & 255
        sum(block[at + 4096 : at + 16384 : 4096])


h_open.serve(request, 15)
