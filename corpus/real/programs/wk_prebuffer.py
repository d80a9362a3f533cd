"""A query server reads two values of a file of columns for each of 12 requests a second, a page each, at random. From when /tmp/go exists its library buffers
the row group around each value ahead: it asks the kernel for 512 KB. Argument: the file."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("queryserver")
columns = os.open(sys.argv[1], os.O_RDONLY)
groups = os.fstat(columns).st_size >> 19
os.posix_fadvise(columns, 0, 0, os.POSIX_FADV_RANDOM)


def query():
    for _ in range(2):
        group = random.randrange(groups) << 19
        if os.path.exists("/tmp/go"):
            os.posix_fadvise(columns, group, 1 << 19, os.POSIX_FADV_WILLNEED)
        os.pread(columns, 4096, group + (random.randrange(128) << 12))


vd_desk.serve(query, 12, 3)
