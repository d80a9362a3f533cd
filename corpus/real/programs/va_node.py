"""A service of a node at a steady rate. Arguments: its name, requests a second, and one of
  rows FILE MB READS       random rows of 4 KB of a file, through the cache
  direct FILE MB READS     the same around the cache
  append FILE KB           appends KB without a sync, and begins again after 400 MB
  replay FILE MB MB2       reads the next MB of the first MB of a file, round and round; of the first MB2 as soon as /tmp/fleet exists"""
import mmap
import os
import random
import sys

import g_steady


def rows(path, size, reads, flags=0):
    file, pages, reads = os.open(path, os.O_RDONLY | flags), int(size) << 8, int(reads)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    buffer = [mmap.mmap(-1, 4096)]

    def request():
        for _ in range(reads):
            os.preadv(file, buffer, random.randrange(pages) * 4096)

    return request


def direct(path, size, reads):
    return rows(path, size, reads, os.O_DIRECT)


def append(path, size):
    file, block = os.open(path, os.O_CREAT | os.O_WRONLY), os.urandom(1024) * int(size)
    at = 0

    def request():
        nonlocal at
        os.pwrite(file, block, at)
        at = (at + len(block)) % (400 << 20)

    return request


def replay(path, size, wide):
    file, size, wide, buffer = os.open(path, os.O_RDONLY), int(size), int(wide), [bytearray(1 << 20)]
    at = 0

    def request():
        nonlocal at
        os.preadv(file, buffer, at << 20)
        at = (at + 1) % (wide if os.path.exists("/tmp/fleet") else size)

    return request


with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
modes = {"rows": rows, "direct": direct, "append": append, "replay": replay}
g_steady.serve(modes[sys.argv[3]](*sys.argv[4:]), float(sys.argv[2]))
