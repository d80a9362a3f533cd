"""Answers searches: each reads so many blocks of an index, of which the first MB are hot. Arguments: the file, the MB, blocks, searches per second."""
import sys

import h_hot
import h_open

size, blocks, rate = (int(value) for value in sys.argv[2:5])
index = h_hot.Hot(sys.argv[1], size)
h_open.serve(lambda: index.read(blocks), rate)
