"""Holds 130 MB of sessions, and looks at 40 of them 15 times a second."""
import random

import h_open

held = [bytearray(b"s") * 1048576 for _ in range(130)]


def request():
    for _ in range(40):
        held[random.randrange(130)][random.randrange(1048576)] = 1


h_open.serve(request, 15)
