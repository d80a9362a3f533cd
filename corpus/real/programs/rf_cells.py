"""The notebook of a teacher runs 10 cells a second; each uses 40 places of the data that the notebook holds in memory. Prints clock, cells and ms of each,
every second. Argument: MB of data."""
import random
import sys

import xd_watch

size, state = int(sys.argv[1]), {}


def setup():
    state["data"] = [bytearray(b"d") * (1 << 20) for _ in range(size)]


def cell():
    for _ in range(40):
        block = state["data"][random.randrange(size)]
        block[random.randrange(256) << 12] = 1


xd_watch.serve(setup, cell, 10, "teacher")
