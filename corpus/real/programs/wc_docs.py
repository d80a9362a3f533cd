"""Reads blocks at random of a file larger than memory, past the page cache, for requests. Arguments: bytes of a block, requests a second."""
import mmap
import os
import random
import sys

import wc_load

size = int(sys.argv[1])
file, block = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, size)
count = os.fstat(file).st_size // size
wc_load.serve(lambda: os.preadv(file, [block], random.randrange(count) * size), float(sys.argv[2]), "docserver")
