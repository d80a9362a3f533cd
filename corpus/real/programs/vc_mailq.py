"""A mail server accepts four messages a second: it reads the mailbox's state (around the page cache), writes the message into a file of its
own, syncs it, renames it, and syncs the folder, before it answers."""
import mmap
import os
import random

import pace

os.makedirs("/data/spool", exist_ok=True)
folder, count = os.open("/data/spool", os.O_RDONLY), 0
state, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)


def accept():
    global count
    count = (count + 1) % 500
    os.preadv(state, [room], random.randrange(60000) * 8192)
    file = os.open("/data/spool/part", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"Received: by mx\n" * 400)
    os.fsync(file)
    os.close(file)
    os.rename("/data/spool/part", f"/data/spool/{count}")
    os.fsync(folder)


pace.serve(accept, interval=0.25)
