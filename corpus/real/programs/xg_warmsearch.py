"""A search server answers 15 queries a second out of the caches of its searcher, MB in memory, 40 pages of it at random. From when /tmp/go exists an importer
commits every three seconds: each commit opens a new searcher beside the old one, which fills its caches, 25 MB a second, and goes over them some times to
warm up before it takes over; at most three warm up at once. Argument: the MB."""
import mmap
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
size, piece = int(sys.argv[1]), os.urandom(65536)


def opened(pause):
    caches = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    caches.madvise(15)  # MADV_NOHUGEPAGE
    for at in range(size * 16):
        caches[at << 16 : (at + 1) << 16] = piece
        time.sleep(pause)
    return caches


current, slots = opened(0), threading.Semaphore(3)


def warm():
    global current
    caches = opened(0.0025)
    for _ in range(4):
        for at in range(size << 8):
            caches[at << 12]
            if at % 512 == 511:
                time.sleep(0.02)
    current = caches
    del caches
    slots.release()


def commits():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.3)
    while True:
        slots.acquire()
        threading.Thread(target=warm, daemon=True).start()
        time.sleep(3)


def query():
    caches = current
    for _ in range(40):
        caches[random.randrange(size << 8) << 12]


threading.Thread(target=commits, daemon=True).start()
g_steady.serve(query, 15)
