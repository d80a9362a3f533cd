"""An IMAP server: twenty times a second it reads four pieces of 8 KB of its mailboxes and their indexes, at random out of a number of MiB, which it has read
twice before. Prints clock, requests and ms of each, once a second. Argument: the MiB."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("imap")
file, size = os.open("/data/map/data.mdb", os.O_RDONLY), int(sys.argv[1])
for _ in range(2):
    for at in range(size):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
g_steady.serve(lambda: [os.pread(file, 8192, random.randrange(size * 128) * 8192) for _ in range(4)], 20)
