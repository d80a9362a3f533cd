"""Serves 15 pictures a second at random, of 1.2 GB: previews of 24 KB, and the originals of 512 KB when /tmp/go exists."""
import os
import random

import pace

files = [os.open(name, os.O_RDONLY) for name in ("/data/lite.db", "/data/map/data.mdb")]
for file in files:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)


def picture():
    size = 512 << 10 if os.path.exists("/tmp/go") else 24 << 10
    os.pread(random.choice(files), size, random.randrange(1000) * (512 << 10))


pace.serve(picture, interval=1 / 15)
