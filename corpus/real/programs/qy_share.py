"""A file server makes a file of MiB and answers twelve requests a second, each of which reads twelve pieces of 8 KB at random places of it through the page
cache. Prints clock, requests and ms of each, once a second. Arguments: the file, the MiB."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("smbd")
size = int(sys.argv[2])
with open(sys.argv[1], "wb") as made:
    for _ in range(size):
        made.write(os.urandom(4096) * 256)
    made.flush()
    os.fsync(made.fileno())
share = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(share, 0, 0, os.POSIX_FADV_RANDOM)


def request():
    for _ in range(12):
        os.pread(share, 8192, random.randrange(size << 7) << 13)


vd_desk.serve(request, 12, 4)
