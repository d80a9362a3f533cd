"""The disk of a virtual machine with a database, around the page cache of the host (cache=none): eight transactions a second, each of which
reads three blocks one after the other and writes one."""
import mmap
import os
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("qemu-db")
image = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)
log = os.open("/data/guest.log", os.O_CREAT | os.O_RDWR | os.O_DIRECT | os.O_DSYNC)
os.posix_fallocate(log, 0, 4 << 20)
block, at = mmap.mmap(-1, 8192), 0


def transaction():
    global at
    for _ in range(3):
        os.preadv(image, [block], random.randrange(500 * 128) * 8192)
    os.pwritev(log, [block], at % 512 * 8192)
    at += 1


pace.serve(transaction, interval=1 / 8)
