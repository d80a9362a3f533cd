"""An agent that looks for numbers of cards in files: reads each piece for its checksum, and again to search it. Arguments: MB/s, the files."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("dlpd")
rate, total, began = float(sys.argv[1]) * 1e6, 0, time.time()
for path in sys.argv[2:]:
    file, at = os.open(path, os.O_RDONLY), 0
    while piece := os.pread(file, 1 << 18, at):
        zlib.adler32(piece)
        os.pread(file, 1 << 18, at).find(b"4111 1111")
        at, total = at + len(piece), total + len(piece)
        time.sleep(max(0, began + total / rate - time.time()))
    os.close(file)
time.sleep(10000)
