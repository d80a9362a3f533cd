"""Serves so many requests a second, each with some reads of 4 kB at random past the page cache. Arguments: the requests, the reads."""
import mmap
import os
import random
import sys

import wc_load

file, block = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
count = os.fstat(file).st_size // 4096


def request():
    for _ in range(int(sys.argv[2])):
        os.preadv(file, [block], random.randrange(count) * 4096)


wc_load.serve(request, float(sys.argv[1]))
