"""Backtests strategies: each run replays the ticks of a file from the first to the last, in pieces of 1 MB. Arguments: the file, MB of a day, MB of a
month, which is replayed as soon as /tmp/month exists, MB per second."""
import os
import sys

import pace

ticks, day, month, rate = os.open(sys.argv[1], os.O_RDONLY), *map(int, sys.argv[2:])
at = 0
buffer = [bytearray(1 << 20)]


def piece():
    global at
    os.preadv(ticks, buffer, at << 20)
    at = (at + 1) % (month if os.path.exists("/tmp/month") else day)


for _ in range(day):
    piece()
pace.serve(piece, interval=1 / rate)
