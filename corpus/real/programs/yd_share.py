"""A file server: twelve requests a second, each a read of 16 KB around the page cache; each sixth also appends 32 KB to a document and syncs it."""
import mmap
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("filesrv")
store, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)
os.makedirs("/data/share", exist_ok=True)
documents = [os.open(f"/data/share/{number}.doc", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for number in range(12)]
text, count = b"paragraph " * 3276, 0


def request():
    global count
    os.preadv(store, [room], random.randrange(34000) * 16384)
    count += 1
    if count % 6 == 0:
        document = random.choice(documents)
        os.write(document, text)
        os.fdatasync(document)


g_steady.serve(request, 12)
