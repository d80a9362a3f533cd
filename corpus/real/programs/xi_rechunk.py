"""Stores an array in other chunks: threads gather pieces of 16 KB that lie all over the old file, around the page cache, and write a new file on
another disk. Arguments: the old file, the new one, the threads."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("nccopy")
old, new = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
pieces = os.fstat(old).st_size >> 14


def gather():
    room = mmap.mmap(-1, 16384)
    while True:
        os.preadv(old, [room], random.randrange(pieces) << 14)
        os.write(new, room)


for _ in range(int(sys.argv[3])):
    threading.Thread(target=gather).start()
