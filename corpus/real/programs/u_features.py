"""Keeps 130 MiB of values in its memory; each of 20 requests a second changes 40 of them, at random."""
import random

import pace

with open("/proc/self/comm", "w") as name:
    name.write("featured")
values = bytearray(b"v") * (130 << 20)


def change():
    for _ in range(40):
        values[random.randrange(33280) * 4096] = 1


pace.serve(change)
