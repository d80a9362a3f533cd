"""Changes 60 of 30000 pages of its own for each of 20 requests a second. From when /tmp/go exists a library that saves memory tells the kernel
every five seconds to page all of them out (MADV_PAGEOUT)."""
import mmap
import os
import random
import time

import pace

PAGES, last = 30000, 0
heap = mmap.mmap(-1, PAGES * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
heap.madvise(15)
for page in range(PAGES):
    heap[page * 4096 : page * 4096 + 512] = os.urandom(512)


def request():
    global last
    if time.time() - last > 5 and os.path.exists("/tmp/go"):
        heap.madvise(21)
        last = time.time()
    for _ in range(60):
        heap[random.randrange(PAGES) * 4096 + 1] = 1


pace.serve(request)
