"""A search that opens a shard for each query, maps it and reads one page of it at random. Arguments: file, MiB of it, queries a second. Prints in each
second clock, queries and ms of each."""
import mmap
import os
import random
import sys

import g_steady

open("/proc/self/comm", "w").write("searchd")
path, size = sys.argv[1], int(sys.argv[2])


def query():
    file = os.open(path, os.O_RDONLY)
    shard = mmap.mmap(file, size << 20, prot=mmap.PROT_READ)
    shard[random.randrange(size * 256) << 12]
    shard.close()
    os.close(file)


g_steady.serve(query, float(sys.argv[3]))
