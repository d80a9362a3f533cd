"""A column store keeps a dictionary of MB in memory: 15 queries a second look at 40 pages of it at random. From when /tmp/go exists it loads the dictionary
anew each time its source changes, which is always: builds the new one beside the old, 25 MB/s, checks it twice, and drops the old. Argument: the MB."""
import mmap
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("dictserver")
size = int(sys.argv[1])
piece = os.urandom(65536)


def load(pause):
    new = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    new.madvise(15)  # MADV_NOHUGEPAGE
    for at in range(size * 16):
        new[at << 16 : (at + 1) << 16] = piece
        time.sleep(pause)
    return new


held = load(0)


def reload():
    global held
    while not os.path.exists("/tmp/go"):
        time.sleep(0.3)
    while True:
        new = load(0.0025)
        for _ in range(2):
            for at in range(size << 8):
                new[at << 12]
                if at % 512 == 0:
                    time.sleep(0.002)
        held = new


def query():
    table = held
    for _ in range(40):
        table[random.randrange(size << 8) << 12]


threading.Thread(target=reload, daemon=True).start()
g_steady.serve(query, 15)
