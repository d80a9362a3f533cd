"""Suggests ten times a second from a tree of words in its memory, of MiB: looks at 60 pages of it at random each time. Argument: the MiB."""
import random
import sys

import pace

size = int(sys.argv[1])
words = [bytearray(b"w") * 1048576 for _ in range(size)]


def suggest():
    for _ in range(60):
        words[random.randrange(size)][random.randrange(1048576)]


pace.serve(suggest, interval=0.1)
