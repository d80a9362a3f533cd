"""Annotates variants of genomes, 20 batches a second, each with ten reads of 4 KB in a database of 560 MB, all of which was read before. The variants come in the
order of their positions, within 60 MB; from when /tmp/go exists in no order, from all over the genome."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("annotator")
base, at = os.open("/data/lite.db", os.O_RDONLY), 0
for first, last in ((60, 560), (0, 60), (0, 60)):
    for piece in range(first, last):
        os.pread(base, 1 << 20, piece << 20)
os.posix_fadvise(base, 0, 0, os.POSIX_FADV_RANDOM)


def batch():
    global at
    for _ in range(10):
        at = (at + random.randrange(20)) % (60 * 256)
        os.pread(base, 4096, (random.randrange(560 * 256) if os.path.exists("/tmp/go") else at) << 12)


vd_desk.serve(batch, 20, 3)
