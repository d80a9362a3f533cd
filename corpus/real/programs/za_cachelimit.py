"""A cache of MiB of values of 16 KB takes 40 new ones for each of ten requests a second, over the oldest when it is full. From when /tmp/go exists its limit is
400 MiB (cache_memlimit). Argument: the MiB at first."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("mcached")
values, at, value = [], 0, b"v" * 16384


def store(limit):
    global at
    if len(values) < limit * 64:
        values.append(bytearray(value))
    else:
        at = (at + 1) % len(values)
        values[at][:] = value


first = int(sys.argv[1])
while len(values) < first * 64:
    store(first)


def request():
    limit = 400 if os.path.exists("/tmp/go") else first
    for _ in range(40):
        store(limit)


g_steady.serve(request, 10)
