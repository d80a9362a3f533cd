"""The search of a desktop answers ten queries a second; each builds its results in 1 MiB of fresh memory, next to an index of MiB. Prints clock, queries and ms
of each, once a second. Argument: the MiB."""
import mmap
import sys

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("localsearch")
index = [bytearray(b"i") * 1048576 for _ in range(int(sys.argv[1]))]
results = b"r" * 1048576


def request():
    with mmap.mmap(-1, 1048576) as found:
        found.write(results)


vd_desk.serve(request, 10, 3)
