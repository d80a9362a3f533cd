"""A table with 14 secondary indexes, whose pages are on a volume that is far away: 4 inserts a second, each of which reads the page of its key. Until /tmp/go
exists the changes of the other indexes are buffered; then the pages of all of them are read, one after the other. Argument: the device."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("insertd")
device, room, buffered = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384), []


def insert():
    for index in range(15):
        page = random.randrange(7600)
        if index == 0 or os.path.exists("/tmp/go"):
            os.preadv(device, [room], page * 16384)
        else:
            buffered.append((page, index))


g_steady.serve(insert, 4)
