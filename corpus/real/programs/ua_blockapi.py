"""Reads blocks of 4 KB at random among the first MiB of a file, which it has read twice before, and prints clock, requests and ms in each second.
Arguments: the file, the MiB, requests a second, blocks of a request."""
import sys

import g_steady
import h_hot

hot = h_hot.Hot(sys.argv[1], int(sys.argv[2]))
g_steady.serve(lambda: hot.read(int(sys.argv[4])), int(sys.argv[3]))
