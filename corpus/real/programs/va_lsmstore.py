"""A store: 12 requests a second, two blocks each, around the page cache; from when /tmp/go exists, four threads of it read runs for a major compaction."""
import mmap
import os
import random
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("lsmstore")
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)


def compact(run):
    block, at = mmap.mmap(-1, 1 << 18), 0
    while not os.path.exists("/tmp/go"):
        time.sleep(0.5)
    while True:
        os.preadv(file, [block], (run * 120 << 20) + at % 400 * len(block))
        at += 1


def get():
    for _ in range(2):
        os.preadv(file, [room], random.randrange(450 * 64) * 16384)


for run in range(4):
    threading.Thread(target=compact, args=(run,), daemon=True).start()
g_steady.serve(get, 12)
