"""Evaluates alert rules over the samples of a window: reads the chunks of it from the oldest to the newest, 20 MB a second in pieces of 64 KB, and begins
again. The window has so many MB, which were read before, and from when /tmp/go exists so many. Arguments: both."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("ruler")
before, later = (int(value) * 16 for value in sys.argv[1:])
chunks, at = os.open("/data/lite.db", os.O_RDONLY), 0
for piece in range(before):
    os.pread(chunks, 1 << 16, piece << 16)


def evaluate():
    global at
    os.pread(chunks, 1 << 16, at << 16)
    at = (at + 1) % (later if os.path.exists("/tmp/go") else before)


pace.serve(evaluate, batch=16, interval=1 / 20)
