"""A web application with MB of memory in its processes: a request touches random pages of it. Arguments: MB, requests a second, pages of a
request. Prints each second the clock, the requests served, and the ms of one."""
import random
import sys

import tg_share

size, rate, pages = (int(value) for value in sys.argv[1:4])
with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
heap = [bytearray(b"p") * 1048576 for _ in range(size)]


def request():
    for _ in range(pages):
        heap[random.randrange(size)][random.randrange(256) * 4096] = 1


tg_share.serve(request, rate)
