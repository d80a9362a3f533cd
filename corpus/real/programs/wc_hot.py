"""Requests that each read blocks at random of the part of a file that was read before. Arguments: MB of the part, blocks, requests a second."""
import sys

import h_hot
import wc_load

part = h_hot.Hot("/data/lite.db", int(sys.argv[1]))
wc_load.serve(lambda: part.read(int(sys.argv[2])), float(sys.argv[3]), "catalogd")
