"""A catalog: each request reads some blocks at random of the MB of a file that it has read before. Arguments: MB, blocks, requests a second."""
import sys

import g_steady
import h_hot

with open("/proc/self/comm", "w") as comm:
    comm.write("catalogd")
part, count = h_hot.Hot("/data/lite.db", int(sys.argv[1])), int(sys.argv[2])
g_steady.serve(lambda: part.read(count), float(sys.argv[3]))
