"""Reads 60 pages of 16 KB a second of a device around the page cache, six at once. Arguments: the device, the MB."""
import mmap
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pace

device, size = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2])
buffers = [memoryview(mmap.mmap(-1, 16384)) for _ in range(6)]
pool = ThreadPoolExecutor(6)


def page(buffer):
    os.preadv(device, [buffer], random.randrange(size * 64) * 16384)


def pages():
    list(pool.map(page, buffers))


pace.serve(pages, interval=0.1)
