"""A compute node of a database: each query maps 1 MB of work memory, fills it and gives it back. When /tmp/go exists, each session's state stays: 1 MB for
each query, until 44 MB. Prints clock, queries and ms in each second. Arguments: MiB held from the start, queries a second."""
import mmap
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("postgres")
base = bytearray(b"b") * (int(sys.argv[1]) << 20)
state, filled = [], b"w" * (1 << 20)


def query():
    work = mmap.mmap(-1, 1 << 20)
    work[:] = filled
    if len(state) < 44 and os.path.exists("/tmp/go"):
        state.append(work)
    else:
        work.close()


g_steady.serve(query, int(sys.argv[2]))
