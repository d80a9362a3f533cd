"""Answers 10 queries a second from a mapped atlas, which each opens and maps anew: two bytes at random. Arguments: the atlas, and that which takes its
place when /tmp/go exists."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("atlasd")


def query():
    file = os.open(sys.argv[1 + os.path.exists("/tmp/go")], os.O_RDONLY)
    size = os.lseek(file, 0, os.SEEK_END)
    with mmap.mmap(file, size, prot=mmap.PROT_READ) as atlas:
        os.close(file)
        for _ in range(2):
            atlas[random.randrange(size)]


g_steady.serve(query, 10)
