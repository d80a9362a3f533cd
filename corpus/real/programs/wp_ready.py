"""A catalogue on a volume: 8 requests a second, each of four blocks of 8 KB at random around the page cache. From when /tmp/go exists seven balancers
ask in each second whether it is ready, and it answers each by a search of its own, of 40 blocks."""
import mmap
import os
import random
import threading
import time

import quokka_tally

with open("/proc/self/comm", "w") as name:
    name.write("catalogd")
base = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
local = threading.local()


def read(count):
    if not hasattr(local, "block"):
        local.block = mmap.mmap(-1, 8192)
    for _ in range(count):
        os.preadv(base, [local.block], random.randrange(70000) * 8192)


def ready():
    time.sleep(random.random())
    while True:
        began = time.time()
        if os.path.exists("/tmp/go"):
            read(40)
        time.sleep(max(0, began + 1 - time.time()))


for _ in range(7):
    threading.Thread(target=ready, daemon=True).start()
quokka_tally.serve(lambda: read(4), 8, 4)
