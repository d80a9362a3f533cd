"""Eight times a second: reads two blocks of the disk around the page cache, and writes one in place and syncs it. Argument: the file."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("vaultd")
blocks, page = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
state = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for _ in range(4):
    os.write(state, bytes(1 << 20))
os.fsync(state)


def request():
    for _ in range(2):
        os.preadv(blocks, [page], random.randrange(120000) * 4096)
    os.pwrite(state, b"v" * 4096, random.randrange(1024) * 4096)
    os.fdatasync(state)


g_steady.serve(request, 8)
