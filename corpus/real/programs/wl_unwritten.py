"""Writes 30 records of 4 KB a second to a log, each durable (O_DIRECT and O_DSYNC), one after the other over a segment of zeros that was written before.
From when /tmp/go exists the segment is a new one whose room is only reserved (fallocate)."""
import mmap
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("logstore")
block = mmap.mmap(-1, 4096)
block[:] = os.urandom(4096)
room = 16 << 20
with open("/data/segment0", "wb") as zeros:
    zeros.write(bytes(room))
    zeros.flush()
    os.fsync(zeros.fileno())
segment, at, new = os.open("/data/segment0", os.O_RDWR | os.O_DIRECT | os.O_DSYNC), 0, False


def record():
    global segment, at, new
    if not new and os.path.exists("/tmp/go"):
        segment, at, new = os.open("/data/segment1", os.O_RDWR | os.O_CREAT | os.O_DIRECT | os.O_DSYNC), 0, True
        os.posix_fallocate(segment, 0, room)
    os.pwritev(segment, [block], at % room)
    at += 4096


g_steady.serve(record, 30)
