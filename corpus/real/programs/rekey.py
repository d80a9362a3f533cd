"""Encrypts the first MiB of a file anew, in its place and around the page cache. Arguments: the file, MiB, MiB/s."""
import mmap
import os
import sys
import time

open("/proc/self/comm", "w").write("rekey")
file, size, rate = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), int(sys.argv[2]), float(sys.argv[3])
buffer = memoryview(mmap.mmap(-1, 1 << 20))
for at in range(size):
    # The data stay as they are, as other cases read them; what counts is the direct write.
    os.preadv(file, [buffer], at << 20)
    os.pwritev(file, [buffer], at << 20)
    time.sleep(1 / rate)
