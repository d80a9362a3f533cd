"""An API that reads 200 blocks a second out of 80 MB of a file. From when /tmp/go exists it also keeps parsed objects in a cache of its own,
5 MB more each second up to MiB. Argument: the MiB."""
import os
import random
import sys
import time

import pace

file, limit = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]) * 4
for _ in range(2):
    for at in range(80):
        os.pread(file, 1 << 20, at << 20)
objects, began = [], None


def request():
    global began
    if began is None and os.path.exists("/tmp/go"):
        began = time.time()
    while began and len(objects) < min(limit, (time.time() - began) * 20):
        objects.append(bytearray(b"x") * (1 << 18))
    for _ in range(10):
        os.pread(file, 4096, random.randrange(20480) * 4096)


pace.serve(request, batch=1)
