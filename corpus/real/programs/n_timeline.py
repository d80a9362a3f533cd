"""Renders 20 timelines a second from six blocks each, among the first MB of a file that it has read before. When /tmp/go exists a feature flag
makes it keep the features of each timeline that it ranks, up to so many MB. Arguments: the MB of blocks, the MB of features."""
import os
import random
import sys

import pace

size, most = (int(value) for value in sys.argv[1:])
file = os.open("/data/lite.db", os.O_RDONLY)
for at in range(size):
    os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
kept = []


def render():
    for _ in range(6):
        os.pread(file, 4096, random.randrange(size * 256) * 4096)
    if len(kept) < most * 2 and os.path.exists("/tmp/go"):
        kept.append(bytearray(b"f") * 524288)


pace.serve(render)
