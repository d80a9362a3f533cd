"""Looks up 120 pages of a ledger, one after another, for each of 3 requests a second; opens the ledger with O_DIRECT as soon as FLAG
exists. Arguments: file, its MiB, FLAG."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("ledgerd")
path, pages, flag, direct = sys.argv[1], int(sys.argv[2]) << 8, sys.argv[3], False
file, buffer = os.open(path, os.O_RDONLY), [mmap.mmap(-1, 4096)]
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    global file, direct
    if not direct and os.path.exists(flag):
        os.close(file)
        file, direct = os.open(path, os.O_RDONLY | os.O_DIRECT), True
    for _ in range(120):
        os.preadv(file, buffer, random.randrange(pages) * 4096)


g_steady.serve(request, 3)
