"""Writes 30 pages of counters for each of 10 requests a second into a file: one after another, or as soon as FLAG exists where a hash puts
each of them. Arguments: file, its MiB, FLAG."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("counterd")
file, pages, flag, at = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) << 8, sys.argv[3], 0
page = os.urandom(4096)


def request():
    global at
    if os.path.exists(flag):
        for _ in range(30):
            os.pwrite(file, page, random.randrange(pages) * 4096)
    else:
        os.pwrite(file, page * 30, at % (pages - 30) * 4096)
        at += 30


g_steady.serve(request, 10)
