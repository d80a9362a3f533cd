"""A database that relies on the page cache: 30 queries a second of ten blocks each, out of the first MB of its table, read before. Argument:
the MB."""
import sys

import g_steady
import h_hot

table = h_hot.Hot("/data/lite.db", int(sys.argv[1]))
g_steady.serve(lambda: table.read(10), 30)
