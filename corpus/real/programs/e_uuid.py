"""500 inserts a second, each of which reads the page of an index of 580 MB where its key goes. Keys rise, so that it is among the last 20 MB;
from when /tmp/go exists keys are random UUIDs. All of the index was read before."""
import os
import random

import pace

file = os.open("/data/lite.db", os.O_RDONLY)
for first in (0, 560, 560):
    for at in range(first, 580):
        os.pread(file, 1 << 20, at << 20)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def insert():
    os.pread(file, 4096, random.randrange(0 if fresh() else 560 * 256, 580 * 256) * 4096)


def fresh():
    return os.path.exists("/tmp/go")


pace.serve(insert, batch=25)
