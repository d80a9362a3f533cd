"""The start of a home automation: reads 120 MB of its programs from a file in pieces of 64 KB, keeps 60 MB of them, and then does little.
Arguments: the file, the MB at which its programs begin. Prints nothing."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("hass")
file, kept, known = os.open(sys.argv[1], os.O_RDONLY), [], 0
for piece in range(1920):
    code = os.pread(file, 65536, (int(sys.argv[2]) << 20) + (piece << 16))
    known = zlib.crc32(code, known)
    if piece % 2 == 0:
        kept.append(code)
while True:
    known = zlib.crc32(kept[0], known)
    time.sleep(0.2)
