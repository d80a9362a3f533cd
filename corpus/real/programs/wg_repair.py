"""The validation of a repair: eight threads read ranges of 32 KB of the tables at random places, around the page cache, and hash them."""
import mmap
import os
import random
import threading
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("validation")
file = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT)


def validate():
    piece = mmap.mmap(-1, 1 << 15)
    while True:
        os.preadv(file, [piece], random.randrange(500 * 32) << 15)
        zlib.crc32(piece)


threads = [threading.Thread(target=validate) for _ in range(8)]
for thread in threads:
    thread.start()
