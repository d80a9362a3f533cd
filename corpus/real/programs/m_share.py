"""A file server: reads 4 KB at random among the first MiB of a file, which it has read before. With a folder as last argument, a client copies
the films of that folder through it (20 MB/s) from when /tmp/go exists. Arguments: MiB, reads a second, the folder."""
import glob
import os
import random
import sys
import threading
import time

import pace

file, size, rate = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]), int(sys.argv[2])
for at in range(size):
    os.pread(file, 1 << 20, at << 20)


def films():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    while True:
        for path in sorted(glob.glob(sys.argv[3] + "/*")):
            with open(path, "rb", 0) as film:
                while film.read(1 << 18):
                    time.sleep(0.0125)


if len(sys.argv) > 3:
    threading.Thread(target=films, daemon=True).start()
pace.serve(lambda: [os.pread(file, 4096, random.randrange(size * 256) * 4096) for _ in range(rate // 20)])
