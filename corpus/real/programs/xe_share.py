"""A file server: a request opens the file and reads blocks of 4 KB at random in its first MB, which it has read twice before. Arguments: the file,
the MB, blocks of a request, requests a second."""
import os
import random
import sys

import g_steady

name, size, blocks, rate = sys.argv[1], *map(int, sys.argv[2:])
with open(name, "rb", buffering=0) as file:
    for _ in range(2):
        file.seek(0)
        while file.tell() < size << 20:
            file.read(1 << 20)


def request():
    file = os.open(name, os.O_RDONLY)
    for _ in range(blocks):
        os.pread(file, 4096, random.randrange(size << 8) << 12)
    os.close(file)


g_steady.serve(request, rate)
