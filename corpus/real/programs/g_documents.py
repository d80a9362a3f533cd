"""Reads ten documents of 8 KB a second from a share: opens each by its name and reads it around the client's cache. Argument: the folder."""
import mmap
import os
import random
import sys

import g_steady

room = mmap.mmap(-1, 8192)
os.makedirs(sys.argv[1], exist_ok=True)
for number in range(200):
    with open(f"{sys.argv[1]}/doc{number}", "wb") as new:
        new.write(os.urandom(8192))
os.sync()


def read():
    file = os.open(f"{sys.argv[1]}/doc{random.randrange(200)}", os.O_RDONLY | os.O_DIRECT)
    os.preadv(file, [room], 0)
    os.close(file)


g_steady.serve(read, 10)
