"""Looks up sessions in a heap of its own: 20 requests a second, each of which touches 20 pages of MiB at random. Argument: the MiB."""
import random
import sys

import pace

size = int(sys.argv[1])
heap = [bytearray(b"s") * (1 << 20) for _ in range(size)]


def session():
    for _ in range(20):
        heap[random.randrange(size)][random.randrange(256) << 12] = 1


pace.serve(session)
