"""An editor's index of 140 MB in memory: ten look-ups a second, each of 60 pages at random."""
import random

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("idea")
index = [bytearray(b"i") * (1 << 20) for _ in range(140)]


def look():
    for _ in range(60):
        index[random.randrange(140)][random.randrange(256) << 12] = 1


vd_desk.serve(look, 10, 2)
