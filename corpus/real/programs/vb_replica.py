"""Looks 100 words a second up in a mapped file of its image; when /tmp/go exists it is replaced by the next version, whose image nobody has read."""
import mmap
import os
import random
import sys

import pace

new, size = len(sys.argv) > 1, (80 if len(sys.argv) > 1 else 40) << 20
words = mmap.mmap(os.open("/data/lite.db" if new else "/data/map/data.mdb", os.O_RDONLY), size, prot=mmap.PROT_READ)
if not new:
    for at in range(0, size, 4096):
        words[at]
words.madvise(mmap.MADV_RANDOM)


def look():
    if not new and os.path.exists("/tmp/go"):
        os.execv(sys.executable, ["python3", sys.argv[0], "new"])
    for _ in range(5):
        words[random.randrange(size)]


pace.serve(look, batch=5)
