"""A store of sorted tables gets 10 blocks of 4 KB for each of 12 requests a second, at random of its 100 MB, through the page cache. It has read them before;
when /tmp/go exists, a compaction has written the same data to another file. Arguments: the file, the new file."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sstread")


def opened(path, warm):
    file = os.open(path, os.O_RDONLY)
    for at in range(100 * warm):
        os.pread(file, 1 << 20, at << 20)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    return file


tables, compacted = opened(sys.argv[1], 1), False


def get():
    global tables, compacted
    if not compacted and os.path.exists("/tmp/go"):
        os.close(tables)
        tables, compacted = opened(sys.argv[2], 0), True
    for _ in range(10):
        os.pread(tables, 4096, random.randrange(25600) << 12)


g_steady.serve(get, 12)
