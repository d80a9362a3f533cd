"""An index server: writes its index file, reads it twice, and answers requests of six random blocks each. Arguments: file, MiB, requests a second."""
import os
import sys

import g_steady
from h_hot import Hot

name, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with open(name, "wb") as index:
    block = os.urandom(1 << 20)
    for _ in range(size):
        index.write(block)
    index.flush()
    os.fsync(index.fileno())
hot = Hot(name, size)
g_steady.serve(lambda: hot.read(6), rate)
