"""Looks up keys in a tree whose pages are read around the page cache: three pages of 4 KB one after the other for each key. Arguments: the file, the keys a second."""
import mmap
import os
import random
import sys

import g_steady

file, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
pages = os.fstat(file).st_size // 4096


def key():
    for level in (200, 20, 1):
        os.preadv(file, [page], random.randrange(pages // level) * 4096)


g_steady.serve(key, float(sys.argv[2]))
