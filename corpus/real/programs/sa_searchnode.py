"""A search node: a heap of MiB that its collector walks, and an index of MB whose blocks of 8 KiB its requests read. When /tmp/heap exists, its heap grows to a new size.
Arguments: index, MB, requests a second, reads of each, MiB of heap, MiB of the new heap. Prints each second CLOCK, requests, ms of one."""
import os
import random
import sys
import threading
import time

import sa_pages

sa_pages.named("elasticsearch")
path, (size, rate, reads, small, large) = sys.argv[1], map(int, sys.argv[2:7])
heap = [bytearray(b"h") * 1048576 for _ in range(small)]


def collect():
    while True:
        if len(heap) < large and os.path.exists("/tmp/heap"):
            for _ in range(2):
                heap.append(bytearray(b"h") * 1048576)
            time.sleep(0.07)
            continue
        for block in heap:
            block[::4096] = b"g" * 256
        time.sleep(1)


with open(path, "wb", 0) as file:
    for number in range(size):
        file.write(number.to_bytes(8, "big") * 131072)
    os.fsync(file.fileno())
index = os.open(path, os.O_RDONLY)
for at in [*range(size)] * 2:
    os.pread(index, 1 << 20, at << 20)
os.posix_fadvise(index, 0, 0, os.POSIX_FADV_RANDOM)
threading.Thread(target=collect, daemon=True).start()


def search():
    for _ in range(reads):
        os.pread(index, 8192, random.randrange(size * 128) * 8192)


sa_pages.serve(search, rate)
