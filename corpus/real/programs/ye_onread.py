"""A virus scanner looks at a file that a service has open: reads its first MB in pieces, so many MB a second, sums them up, and begins again.
Arguments: the file, the MB, the MB a second."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("savscand")
file, size, rate = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]) * 8, float(sys.argv[3]) * 8
at, due = 0, time.time()
while True:
    zlib.crc32(os.pread(file, 1 << 17, at % size << 17))
    at, due = at + 1, max(due + 1 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
