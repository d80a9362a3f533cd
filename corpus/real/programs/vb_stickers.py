"""Serves 120 blocks a second at random, among the first MB of a file that it has read twice. Argument: the MB."""
import sys

import h_hot
import pace

hot = h_hot.Hot("/data/map/data.mdb", int(sys.argv[1]))
pace.serve(lambda: hot.read(6), batch=6)
