"""A search for a legal hold goes through mailboxes: reads messages of 16 KB at random places of /data/lite.db, around the page cache, as fast as the disk gives
them. Argument: threads."""
import mmap
import os
import random
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("holdsearch")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)


def read():
    room = mmap.mmap(-1, 16384)
    while True:
        os.preadv(file, [room], random.randrange(30000) * 16384)


for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=read, daemon=True).start()
read()
