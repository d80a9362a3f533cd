"""A gateway of sessions: keeps 60 MB of them in memory, and looks at 40 on as many pages, at random, in each of 15 requests a second. Prints in each
second clock, requests and ms of each."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("gateway")
sessions = [bytearray(os.urandom(65536) * 16) for _ in range(60)]


def request():
    for _ in range(40):
        random.choice(sessions)[random.randrange(256) << 12] ^= 1


g_steady.serve(request, 15)
