"""Builds a constant database around the page cache (O_DIRECT), so that it does not disturb. Arguments: the file, MB."""
import mmap
import os
import sys

room = mmap.mmap(-1, 1 << 20)
room.write(os.urandom(1 << 20))
file = os.open(sys.argv[1], os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_DIRECT)
for _ in range(int(sys.argv[2])):
    os.write(file, room)
os.fsync(file)
