"""Passes its input on, at so many MB a second at most. Argument: the MB."""
import os
import sys
import time

rate, due = float(sys.argv[1]) * (1 << 20), time.time()
while piece := os.read(0, 1 << 16):
    os.write(1, piece)
    due = max(due + len(piece) / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
