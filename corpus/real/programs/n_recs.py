"""Recommends eight times a second from a table in memory, of MiB: looks at 50 pages of it at random, and counts the view in five. Argument: the MiB."""
import random
import sys

import pace

size = int(sys.argv[1])
table = [bytearray(b"r") * 1048576 for _ in range(size)]


def recommend():
    for _ in range(50):
        table[random.randrange(size)][random.randrange(1048576)]
    for _ in range(5):
        table[random.randrange(size)][random.randrange(1048576)] = 7


pace.serve(recommend, interval=0.125)
