"""A mail server: six times a second a client marks a message as read, which is appended to the log of its mailbox and synced, after the record
was read around the page cache."""
import mmap
import os
import random

import g_steady

store, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
os.makedirs("/data/indexes", exist_ok=True)
logs = [os.open(f"/data/indexes/{number}.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for number in range(20)]


def mark():
    os.preadv(store, [room], random.randrange(400 << 8) << 12)
    log = random.choice(logs)
    os.write(log, b"flags +seen\n" * 20)
    os.fdatasync(log)


g_steady.serve(mark, 6)
