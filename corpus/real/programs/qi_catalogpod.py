"""The pod of a catalog: answers 15 requests a second, each of which takes a few thousand steps of a CPU and 10 pages out of 30 MB of its memory, so that it
needs no file. Prints clock, requests, ms."""
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("catalogpod")
items = [bytearray(b"i") * (1 << 20) for _ in range(30)]


def request():
    value = 1
    for n in range(3000):
        value = value * 31 % 1000003
    for _ in range(10):
        random.choice(items)[random.randrange(256) << 12] ^= 1


g_steady.serve(request, 15)
