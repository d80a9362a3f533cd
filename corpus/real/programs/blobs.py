"""Serves 15 objects of 32 KB a second out of 580 MB, each in pieces of 4 KB one after the other. The file is advised as read at random
(POSIX_FADV_RANDOM); from when /tmp/go exists it is not."""
import os
import random

import pace

file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
released = False


def blob():
    global released
    if not released and os.path.exists("/tmp/go"):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_NORMAL)
        released = True
    start = random.randrange(18000) * 32768
    for piece in range(8):
        os.pread(file, 4096, start + piece * 4096)


pace.serve(blob, interval=1 / 15)
