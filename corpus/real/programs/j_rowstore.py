"""A store of rows in memory, of MiB: each of 15 requests a second looks at 40 pages of it and changes one. Argument: the MiB."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("rowstore")
size = int(sys.argv[1])
rows = [bytearray(b"r") * 1048576 for _ in range(size)]


def request():
    for _ in range(40):
        rows[random.randrange(size)][random.randrange(1048576)]
    rows[random.randrange(size)][random.randrange(1048576)] = 1


g_steady.serve(request, 15)
