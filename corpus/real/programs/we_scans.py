"""An archive of scanned papers: eight times a second it reads the entry and the preview of a paper, around the page cache, and writes who asked,
to a record that is on disk when the write returns."""
import mmap
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("scansd")
papers = os.open("/data/map/data.mdb", os.O_RDONLY | os.O_DIRECT)
access = os.open("/data/access", os.O_CREAT | os.O_RDWR | os.O_DSYNC)
for _ in range(2):
    os.write(access, bytes(1 << 20))
page, at = mmap.mmap(-1, 1 << 14), 0


def paper():
    global at
    for _ in range(2):
        os.preadv(papers, [page], random.randrange(400 * 64) << 14)
    os.pwrite(access, b"a" * 4096, at % 512 << 12)
    at += 1


pace.serve(paper, interval=1 / 8)
