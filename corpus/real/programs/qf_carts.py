"""Holds MiB of carts of its customers and changes some pages of them at random for each of ten requests a second. Arguments: MiB, pages."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("cartd")
count, pages = int(sys.argv[1]), int(sys.argv[2])
held = [bytearray(os.urandom(4096) * 256) for _ in range(count)]


def request():
    for _ in range(pages):
        held[random.randrange(count)][random.randrange(1048576)] = random.randrange(256)


g_steady.serve(request, 10)
