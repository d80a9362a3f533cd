"""A server of files makes a file of MiB and answers requests at a rate, each of which reads pieces of KB at random places of the file, through the page cache
or around it. Prints clock, requests and ms of each with the wait, once a second. Arguments: its name, the file, MiB, requests a second, pieces of a request,
KB of a piece, `cached` or `direct`."""
import mmap
import os
import random
import sys

import vd_desk

name, path, how = sys.argv[1], sys.argv[2], sys.argv[7]
size, rate, pieces, length = map(int, sys.argv[3:7])
with open("/proc/self/comm", "w") as comm:
    comm.write(name)
length <<= 10
with open(path, "wb") as made:
    for _ in range(size):
        made.write(os.urandom(4096) * 256)
    made.flush()
    os.fsync(made.fileno())
file = os.open(path, os.O_RDONLY | (os.O_DIRECT if how == "direct" else 0))
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
places = (size << 20) // length
if how == "cached":
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)


def request():
    buffer = mmap.mmap(-1, length)
    for _ in range(pieces):
        os.preadv(file, [buffer], random.randrange(places) * length)
    buffer.close()


vd_desk.serve(request, rate, 3)
