"""Reads blocks at random around the page cache, one after the other. Arguments: the file or disk, its MB, KB of a block, requests a second."""
import mmap
import os
import random
import sys

import g_steady

size, block, rate = (int(value) for value in sys.argv[2:])
file, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, block << 10)
g_steady.serve(lambda: os.preadv(file, [room], random.randrange((size << 10) // block) * (block << 10)), rate)
