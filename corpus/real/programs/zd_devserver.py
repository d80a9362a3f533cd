"""A development server keeps the 200 MB of its bundle in memory, which it builds in some seconds, and then answers ten requests a second from it; prints 0
while it builds."""
import random
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("webpack")
bundle = []


def request():
    while len(bundle) < 200:
        bundle.append(bytearray(b"w") * (1 << 20))
        time.sleep(0.02)
    for _ in range(20):
        random.choice(bundle)[random.randrange(256) << 12] = 1


g_steady.serve(request, 10)
