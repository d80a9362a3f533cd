"""Serves requests that each read some pieces at random places of one file. Arguments: the file, its MB (made if it is absent), requests a second, pieces
of a request, KB of a piece, `cached` (reads the file in first) or `direct` (around the page cache), a name for the process. Prints clock, requests and
ms of each once a second."""
import mmap
import os
import random
import sys

import g_steady

path, size, rate, pieces, piece = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]) * 1024
with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[7])
if not os.path.exists(path):
    with open(path, "wb") as file:
        for _ in range(size):
            file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())
direct = sys.argv[6] == "direct"
if not direct:
    for _ in range(2):
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
descriptor = os.open(path, os.O_RDONLY | (os.O_DIRECT if direct else 0))
os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
buffer = mmap.mmap(-1, piece)


def request():
    for _ in range(pieces):
        os.preadv(descriptor, [buffer], random.randrange(size * 1048576 // piece) * piece)


g_steady.serve(request, rate)
