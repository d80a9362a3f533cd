"""A workspace of a developer, of which each request, so many a second, reads blocks of 4 KB at random past the page cache. Prints in each second clock,
requests and ms of each. Arguments: its name, the requests, the blocks."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
file, block = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
count = os.fstat(file).st_size // 4096


def request():
    for _ in range(int(sys.argv[3])):
        os.preadv(file, [block], random.randrange(count) << 12)


g_steady.serve(request, float(sys.argv[2]))
