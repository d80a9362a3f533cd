"""An ingester of a log store that takes 5 pushes a second: each is 8 KB appended to its write-ahead log and synced, and a page of its index, which is not
cached. Arguments: the log, the file of the index. Prints clock, pushes and ms of one."""
import mmap
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("ingester")
log = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
index = os.open(sys.argv[2], os.O_RDONLY | os.O_DIRECT)
page, entry = mmap.mmap(-1, 4096), os.urandom(8192)


def push():
    os.write(log, entry)
    os.fdatasync(log)
    os.preadv(index, [page], random.randrange(100000) * 4096)


pace.serve(push, interval=0.2)
