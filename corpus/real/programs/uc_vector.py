"""An aggregator of logs: appends 200 KB to its buffer on a disk ten times a second and never syncs. Argument: the file. Prints clock, appends, ms."""
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("vector")
buffer, piece = open(sys.argv[1], "wb", 0), b"{log}" * 40000
g_steady.serve(lambda: buffer.write(piece), 10)
