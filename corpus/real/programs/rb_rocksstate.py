"""A task of a stream processor that looks up 80 blocks of 16 KB a second in 70 MB of state files, which it has read before. From when /tmp/go exists its
heap grows by 6 MB/s up to the MB of the second argument. First argument: the file. Prints clock, records and ms of one."""
import os
import random
import sys
import threading
import time

import pace

BLOCK, STATE = 16384, 70 << 20
state = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(state, 0, 0, os.POSIX_FADV_RANDOM)
for _ in range(2):
    for at in range(0, STATE, 1 << 20):
        os.pread(state, 1 << 20, at)
heap = []


def grow():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    while len(heap) < int(sys.argv[2]):
        heap.append(bytearray(b"t") * 1048576)
        time.sleep(0.15)


def record():
    for _ in range(4):
        os.pread(state, BLOCK, random.randrange(STATE // BLOCK) * BLOCK)


threading.Thread(target=grow, daemon=True).start()
pace.serve(record)
