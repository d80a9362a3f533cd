"""Reads 16 KB at random places of the image of a guest's disk, around the cache of the host. Arguments: the image, MB of it, and either `user`
and reads a second (prints each second the clock, the reads, and the ms of one) or `update` and how many read at once as fast as they can."""
import mmap
import os
import random
import sys
import threading

import tg_share

image, size, what, number = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
with open("/proc/self/comm", "w") as comm:
    comm.write("kvm")


def reader():
    buffer = mmap.mmap(-1, 16384)
    return lambda: os.preadv(image, [buffer], random.randrange(size * 64) * 16384)


def forever():
    read = reader()
    while True:
        read()


if what == "user":
    tg_share.serve(reader(), number)
else:
    for _ in range(number - 1):
        threading.Thread(target=forever, daemon=True).start()
    forever()
