"""A tile server answers 25 requests a second, each with one read of 16 KB at random in a large file of tiles. Prints clock, tiles and ms of each, every second.
Argument: the file."""
import os
import random
import sys

import xd_watch

file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
blocks = os.fstat(file).st_size >> 14


def tile():
    os.pread(file, 16384, random.randrange(blocks) << 14)


xd_watch.serve(lambda: None, tile, 25, "tileserver")
