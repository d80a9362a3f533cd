"""A message spool in a ring of 16 MiB: eight messages a second, of 8 KB each, written around the page cache and synced. Argument: the file."""
import mmap
import os
import sys

import g_steady

with open(sys.argv[1], "wb") as file:
    file.write(os.urandom(1 << 20) * 16)
    file.flush()
    os.fsync(file.fileno())
ring, at = os.open(sys.argv[1], os.O_WRONLY | os.O_DIRECT | os.O_DSYNC), 0
message = mmap.mmap(-1, 8192)
message.write(os.urandom(8192))


def put():
    global at
    at = (at + 1) % 2048
    os.pwrite(ring, message, at * 8192)


g_steady.serve(put, 8)
