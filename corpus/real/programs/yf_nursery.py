"""A service of a managed language: ten requests a second, each of which allocates 2 MB at the end of the young generation. It starts again at the
beginning of it when that is full, as hardly anything lives on. It has 60 MB, and MB from when /tmp/go exists. Argument: the MB."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("quotejvm")
young, at = [], 0


def request():
    global at
    for _ in range(2):
        if at >= (int(sys.argv[1]) if os.path.exists("/tmp/go") else 60):
            at = 0
        if at == len(young):
            young.append(bytearray(b"o") * (1 << 20))
        else:
            young[at][::4096] = b"n" * 256
        at += 1


g_steady.serve(request, 10)
