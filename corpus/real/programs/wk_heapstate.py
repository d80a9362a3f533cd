"""A task of a stream job with its state in memory: each of 20 batches of events a second changes keys of a window of MB. From when /tmp/go exists each batch
also opens new sessions of KB that never close, up to MB of them. Arguments: MB of the window, KB, MB."""
import mmap
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("taskmanager")
size, each, most = int(sys.argv[1]) << 20, int(sys.argv[2]) << 10, int(sys.argv[3]) << 20
window = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 4096):
    window[at] = 1
sessions, kept = [], 0


def batch():
    global kept
    for _ in range(40):
        window[random.randrange(size >> 12) << 12] = 2
    if kept < most and os.path.exists("/tmp/go"):
        sessions.append(bytearray(b"s") * each)
        kept += each


g_steady.serve(batch, 20)
