"""A session store in Python: 110 MB of sessions, of which each of 20 requests a second changes 40."""
import random

import pace

sessions = [bytearray(b"s") * 4096 for _ in range(28000)]


def request():
    for _ in range(40):
        sessions[random.randrange(28000)][random.randrange(4096)] = 1


pace.serve(request)
