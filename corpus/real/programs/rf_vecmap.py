"""A vector search answers 10 queries a second: each visits 8 nodes at random in a mapped file, and says that it reads at random (MADV_RANDOM). When /tmp/go
exists it maps the file again and says nothing. Prints clock, queries and ms of each, every second. Argument: the file."""
import mmap
import os
import random
import sys

import xd_watch

file = os.open(sys.argv[1], os.O_RDONLY)
size, state = os.fstat(file).st_size, {}


def remap(advice):
    state["map"] = mmap.mmap(file, size, prot=mmap.PROT_READ)
    if advice:
        state["map"].madvise(mmap.MADV_RANDOM)
    state["advised"] = advice


def query():
    if state["advised"] and os.path.exists("/tmp/go"):
        remap(False)
    for _ in range(8):
        state["map"][random.randrange(size)]


xd_watch.serve(lambda: remap(True), query, 10, "vectordb")
