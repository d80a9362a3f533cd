"""Holds balances in memory and changes pages at random. Arguments: MB, requests/s, pages of each, a file of tmpfs for the memory (else it is anonymous)."""
import mmap
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("walletd")
size, rate, pages = (int(value) for value in sys.argv[1:4])
piece = (os.urandom(2048) + bytes(2048)) * 256
if len(sys.argv) > 4:
    file = os.open(sys.argv[4], os.O_CREAT | os.O_RDWR)
    os.ftruncate(file, size << 20)
    held = mmap.mmap(file, size << 20)
else:
    held = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
held.madvise(15)  # MADV_NOHUGEPAGE
for at in range(size):
    held[at << 20 : (at + 1) << 20] = piece


def change():
    for _ in range(pages):
        held[random.randrange(size << 8) * 4096] = random.randrange(256)


vd_desk.serve(change, rate, 1)
