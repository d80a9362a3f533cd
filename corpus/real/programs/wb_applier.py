"""The applier of a replica: for each of six events a second reads a page around the page cache, changes it, and writes it back."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("applier")
file, room = os.open("/data/tablespace", os.O_RDWR | os.O_DIRECT), mmap.mmap(-1, 16384)


def event():
    at = random.randrange(40 * 64) * 16384
    os.preadv(file, [room], at)
    room[random.randrange(16384)] = 1
    os.pwritev(file, [room], at)


g_steady.serve(event, 6)
