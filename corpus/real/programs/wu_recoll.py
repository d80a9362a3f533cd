"""Indexes documents: reads them and keeps the terms of all in memory until there are MB of them, MB a second. Arguments: the MB, MB a second, the document."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("recollindex")
document, terms = os.open(sys.argv[3], os.O_RDONLY), []
for part in range(int(sys.argv[1])):
    zlib.crc32(os.pread(document, 65536, part << 16))
    terms.append(bytearray(os.urandom(4096) * 256))
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
