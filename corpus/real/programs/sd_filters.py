"""An LSM store that keeps filters and indexes in its block cache and reads around the page cache: 36 gets a second read one block of 4 KB each. When /tmp/go
exists an iterator reads four blocks of 32 KB a second into the block cache, the filters and indexes go, and a get reads three blocks. Argument: the file.
Prints in each second clock, gets and ms of each with the wait."""
import mmap
import os
import random
import sys
import threading
import time

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("lsmstore")
BLOCK, BLOCKS = 4096, 140000
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
rooms, blocks = [mmap.mmap(-1, BLOCK) for _ in range(8)], 1


def get():
    room = rooms.pop()
    for _ in range(blocks):
        os.preadv(file, [room], random.randrange(BLOCKS) * BLOCK)
    rooms.append(room)


def iterate():
    global blocks
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    blocks, room, at = 3, mmap.mmap(-1, 8 * BLOCK), 0
    while True:
        os.preadv(file, [room], at)
        at += 8 * BLOCK
        time.sleep(0.25)


threading.Thread(target=iterate, daemon=True).start()
vd_desk.serve(get, 36, 8)
