"""A playout server sends clips in a loop, 40 MB a second in pieces of 256 KB, from the first to the last: a loop of MB, which it has read before,
and from when /tmp/go exists one of other MB. Arguments: the MB, the MB then."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("playoutd")
before, later = (int(value) * 4 for value in sys.argv[1:])
file, at = os.open("/data/map/data.mdb", os.O_RDONLY), 0
for piece in range(before):
    os.pread(file, 1 << 18, piece << 18)


def send():
    global at
    os.pread(file, 1 << 18, at << 18)
    at = (at + 1) % (later if os.path.exists("/tmp/go") else before)


pace.serve(send, batch=8)
