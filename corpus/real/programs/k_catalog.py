"""A catalog: 15 requests a second, each reads 10 blocks at random of the part of a file that it has read before. Argument: MB of the part."""
import sys

import g_steady
import h_hot

part = h_hot.Hot("/data/lite.db", int(sys.argv[1]))
g_steady.serve(lambda: part.read(10), 15)
