"""A wide-column store: each read opens a data file and takes a partition of 192 KB at random from it, as six chunks of 32 KB one after the other, through the
page cache. Arguments: the file, the MB of it that are used, reads a second. Prints in each second clock, reads and ms of each with the wait."""
import os
import random
import sys

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("widecolumn")
CHUNK = 32768
partitions = int(sys.argv[2]) * 1048576 // (6 * CHUNK)


def read():
    file, at = os.open(sys.argv[1], os.O_RDONLY), random.randrange(partitions) * 6 * CHUNK
    for chunk in range(6):
        os.pread(file, CHUNK, at + chunk * CHUNK)
    os.close(file)


vd_desk.serve(read, float(sys.argv[3]))
