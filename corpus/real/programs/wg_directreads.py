"""A key-value store whose hot 80 MB are in the page cache: eight threads get 40 keys a second, each four blocks. From when /tmp/go exists it
reads the same blocks around the page cache (use_direct_reads)."""
import mmap
import os
import random
import threading

import h_hot
import wg_serve

with open("/proc/self/comm", "w") as name:
    name.write("kvstore")
table = h_hot.Hot("/data/lite.db", 80)
direct, own = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), threading.local()


def get():
    if not os.path.exists("/tmp/go"):
        return table.read(4)
    if not hasattr(own, "block"):
        own.block = mmap.mmap(-1, 4096)
    for _ in range(4):
        os.preadv(direct, [own.block], random.randrange(80 * 256) * 4096)


wg_serve.serve(get, 40, 8)
