"""Serves 15 pages a second, each of eight blocks at random of the fragments of a release, a file that it has read twice before; it goes over to the file
of the next release as soon as that exists. Arguments: both files."""
import os
import random
import sys

import h_hot
import vd_desk

hot, fresh = h_hot.Hot(sys.argv[1], os.path.getsize(sys.argv[1]) >> 20), None


def page():
    global fresh
    if fresh is None and os.path.exists(sys.argv[2]):
        fresh = os.open(sys.argv[2], os.O_RDONLY)
    for _ in range(8):
        os.pread(fresh or hot.file, 4096, random.randrange(hot.blocks) * 4096)


vd_desk.serve(page, 15, 1)
