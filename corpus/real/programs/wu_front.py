"""The web page of a document search: ten times a second it takes 1 MB for the hits of a query, fills it and gives it back."""
import mmap
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("searchpage")
hits = os.urandom(1 << 20)


def query():
    page = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page.write(hits)
    page.close()


g_steady.serve(query, 10)
