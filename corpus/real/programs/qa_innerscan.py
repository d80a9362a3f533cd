"""A nested loop without an index: for each row of one side a database reads all of the inner table in order, a MB at a time and 24 in a second, again and
again. The table has 240 MB, and 430 from when /tmp/go exists. Its first part was read before. Argument: the file."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("nestedloop")
table, at = os.open(sys.argv[1], os.O_RDONLY), 0


def block():
    global at
    os.pread(table, 1 << 20, at << 20)
    at = (at + 1) % (430 if os.path.exists("/tmp/go") else 240)


for _ in range(480):
    block()
g_steady.serve(block, 24)
