"""Streams a file of a store to another node, 25 MB after the other, and tells the kernel after each that it does not need their pages any more.
Arguments: the file, seconds between two parts. Prints nothing."""
import os
import sys
import time

import qs_query

qs_query.name("sstablestream")
file = os.open(sys.argv[1], os.O_RDONLY)
part = 25 * 1048576
for start in range(0, os.fstat(file).st_size, part):
    for at in range(start, start + part, 1048576):
        os.pread(file, 1048576, at)
        time.sleep(0.01)
    os.posix_fadvise(file, start, part, os.POSIX_FADV_DONTNEED)
    time.sleep(float(sys.argv[2]))
time.sleep(10000)
