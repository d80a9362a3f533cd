"""A checkpoint, spread out: writes 80 pages of 16 KB a second around the page cache for 25 seconds, and syncs once in a second."""
import mmap
import os
import random
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("checkpointer")
room = mmap.mmap(-1, 16384)
room.write(b"d" * 16384)
pages = os.open("/data/pages", os.O_RDWR | os.O_DIRECT)
for _ in range(250):
    began = time.time()
    for _ in range(8):
        os.pwritev(pages, [room], random.randrange(2000) * 16384)
    time.sleep(max(0, began + 0.1 - time.time()))
os.fsync(pages)
