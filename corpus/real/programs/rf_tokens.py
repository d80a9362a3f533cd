"""A language model on the CPU: for each of 8 pieces of output a second it reads the next 6 MB of its weights, in order, and begins again at their end.
When /tmp/go exists it uses a larger file of weights (more of the same file). Prints clock, pieces and ms of each, every second. Arguments: the file, MB of
the small model, MB of the large one."""
import os
import sys

import xd_watch

file, room = os.open(sys.argv[1], os.O_RDONLY), bytearray(1 << 20)
small, large = int(sys.argv[2]), int(sys.argv[3])
place = 0


def setup():
    for at in range(small):
        os.preadv(file, [room], at << 20)


def piece():
    global place
    size = large if os.path.exists("/tmp/go") else small
    for _ in range(6):
        os.preadv(file, [room], place << 20)
        place = (place + 1) % size


xd_watch.serve(setup, piece, 8, "llama-cli")
