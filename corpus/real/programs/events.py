"""Appends eight events a second to a log, and where each is to an index, and syncs both before it answers."""
import os

import pace

log, index = (os.open(f"/data/events.{end}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for end in ("log", "index"))
count = 0


def event():
    global count
    count += 1
    os.write(log, b"e" * 3000)
    os.fdatasync(log)
    os.write(index, (count * 3000).to_bytes(16, "little"))
    os.fdatasync(index)


pace.serve(event, interval=1 / 8)
