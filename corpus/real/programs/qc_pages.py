"""Workers of a shop: 40 MB of code and templates, ten pages a second that each use some of it."""
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
heap = [bytearray(b"p") * (1 << 20) for _ in range(40)]


def page():
    for _ in range(30):
        heap[random.randrange(40)][random.randrange(256) << 12] = 1


g_steady.serve(page, 10)
