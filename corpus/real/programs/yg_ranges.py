"""Serves slices of alignments: 25 requests a second, each opens the file, as htslib does, and reads 64 KB at random in pieces of 4 KB, through the
page cache."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("htsget")


def request():
    reads = os.open("/data/lite.db", os.O_RDONLY)
    first = random.randrange(500 << 4) << 16
    for piece in range(16):
        os.pread(reads, 4096, first + piece * 4096)
    os.close(reads)


g_steady.serve(request, 25)
