"""Serves eight slices of a measurement a second, by three threads. A slice is some rows of a compressed chunk of 1 MB, which is unpacked once and kept; from when
/tmp/go exists a chunk is larger than the chunk cache, and is unpacked again for each row. The rows of a slice are so many that this takes a quarter of a second."""
import os
import random
import time
import zlib

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("h5slices")
text = b"".join(b"%06d;" % random.randrange(4000) for _ in range(150000))[: 1 << 20]
packed = zlib.compress(text, 1)
began = time.process_time()
for _ in range(4):
    kept = zlib.decompress(packed)
rows = max(1, round(0.25 / ((time.process_time() - began) / 4)))


def slab():
    for _ in range(rows):
        chunk = zlib.decompress(packed) if os.path.exists("/tmp/go") else kept
        at = random.randrange(250) << 12
        chunk[at : at + 4096].count(b";")


vd_desk.serve(slab, 8)
