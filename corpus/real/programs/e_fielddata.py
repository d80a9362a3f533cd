"""A search node that reads 200 blocks a second of its segments, 110 MB of a file. From when /tmp/go exists an aggregation loads the values of
a field into its memory: 5 MB more each second, up to 130 MB, and keeps them."""
import os
import random
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("searchd")
file = os.open("/data/lite.db", os.O_RDONLY)
for _ in range(2):
    for at in range(110):
        os.pread(file, 1 << 20, at << 20)
field, began = [], None


def search():
    global began
    if began is None and os.path.exists("/tmp/go"):
        began = time.time()
    while began and len(field) < min(520, (time.time() - began) * 20):
        field.append(bytearray(b"f") * (1 << 18))
    for _ in range(10):
        os.pread(file, 4096, random.randrange(110 * 256) * 4096)


pace.serve(search)
