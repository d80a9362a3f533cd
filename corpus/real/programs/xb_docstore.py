"""A document store answers 18 requests a second, around the page cache: a document is one page of 8 KB. From when /tmp/go exists (a release saves the history
of a document within it) it is a chain of 32 overflow pages, of which each tells where the next one is."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("docstore")
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)


def document():
    for _ in range(32 if os.path.exists("/tmp/go") else 1):
        os.preadv(file, [room], random.randrange(70000) * 8192)


g_steady.serve(document, 18)
