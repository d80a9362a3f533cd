"""A service that answers from a file in the page cache: random blocks of 4 KB of its first MB, which it has read before. Arguments: the file, the MB,
the blocks of a request, the requests a second."""
import sys

import g_steady
import h_hot

hot = h_hot.Hot(sys.argv[1], int(sys.argv[2]))
count = int(sys.argv[3])
g_steady.serve(lambda: hot.read(count), float(sys.argv[4]))
