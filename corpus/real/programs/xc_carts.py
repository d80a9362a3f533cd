"""Keeps MB of carts in memory: 15 requests a second, each changes 50 of their pages at random. Argument: the MB."""
import random
import sys

import wc_load

carts = [bytearray(b"c") * (1 << 20) for _ in range(int(sys.argv[1]))]


def change():
    for _ in range(50):
        random.choice(carts)[random.randrange(256) << 12] = 1


wc_load.serve(change, 15)
