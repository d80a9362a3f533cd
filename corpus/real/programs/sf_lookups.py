"""A server of an index in a file, which it makes when it is not there and has then read twice; each query reads some pages of 4 KB at random. Prints clock,
queries and ms of each, every second. Arguments: the file, MB of the index, queries a second, pages of a query, the name, `map` to read by a mapping."""
import mmap
import os
import random
import sys

import xd_watch

path, size, rate, pages, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
mapped = sys.argv[6:] == ["map"]
view = []


def setup():
    if not os.path.exists(path):
        block = os.urandom(1 << 20)
        with open(path, "wb", buffering=0) as made:
            for _ in range(size):
                made.write(block)
            os.fsync(made.fileno())
    file = os.open(path, os.O_RDONLY)
    for _ in range(2):
        for at in range(size):
            os.pread(file, 1 << 20, at << 20)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    view.append(file)
    if mapped:
        index = mmap.mmap(file, size << 20, prot=mmap.PROT_READ)
        index.madvise(mmap.MADV_RANDOM)
        view.append(index)


def query():
    for _ in range(pages):
        at = random.randrange(size * 256) * 4096
        if mapped:
            view[1][at]
        else:
            os.pread(view[0], 4096, at)


xd_watch.serve(setup, query, rate, name)
