"""A capture writes 40 pieces of 64 KB a second into a file of 64 MB, around and around, and syncs none. Argument: the file."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("captured")
file, piece, count = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), os.urandom(65536), 0


def write():
    global count
    os.pwrite(file, piece, count % 1024 * 65536)
    count += 1


g_steady.serve(write, 40)
