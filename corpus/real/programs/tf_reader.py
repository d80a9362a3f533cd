"""Serves requests at a steady rate, each of which reads random pieces of a file, all of which it reads once before. Prints clock, requests and ms
of one. Arguments: the file; its MB; requests a second; pieces of a request; bytes of a piece; optionally a file that, once it exists, says how many
pieces and MB it reads from then on; optionally `cold` to read nothing before."""
import os
import random
import sys

import pace

path, size, rate, pieces, piece = sys.argv[1], *(int(value) for value in sys.argv[2:6])
change = sys.argv[6] if len(sys.argv) > 6 else "/nonexistent"
file = os.open(path, os.O_RDONLY)
if sys.argv[7:] != ["cold"]:
    for at in range(size):
        os.pread(file, 1048576, at * 1048576)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
changed = False


def request():
    global changed, pieces, size
    if not changed and os.path.exists(change):
        pieces, size = (int(value) for value in open(change).read().split())
        changed = True
    for _ in range(pieces):
        os.pread(file, piece, random.randrange(size * 1048576 // piece) * piece)


pace.serve(request, interval=1 / rate)
