"""A database answers ten times a second with a document: a leaf page and a chain of overflow pages, each of which names the next, read around the page cache
from a volume that is far away. From when /tmp/go exists documents have 14 overflow pages instead of one. Argument: the device."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("docdb")
device, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)


def document():
    page = random.randrange(25000)
    for _ in range(15 if os.path.exists("/tmp/go") else 2):
        os.preadv(device, [room], page << 12)
        page = (page * 31 + room[0] + 256 * room[1]) % 25000


g_steady.serve(document, 10)
