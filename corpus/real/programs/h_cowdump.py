"""Holds 250 MB and changes 80 pages of it ten times a second; when /tmp/go exists a child masks the names in its copy of all, over and over."""
import os
import random
import time

import h_open

PAGES, child = 250 * 256, None
rows = bytearray(b"n") * (PAGES * 4096)


def mask():
    while True:
        for at in range(0, len(rows), 4096):
            rows[at] = 42
            if at % (1 << 20) == 0:
                time.sleep(0.06)


def request():
    global child
    if child is None and os.path.exists("/tmp/go"):
        child = os.fork()
        if not child:
            mask()
    for _ in range(80):
        rows[random.randrange(PAGES) * 4096] = 1


h_open.serve(request, 10)
