"""A monitoring server: it replays its log at its start, with a checksum of each block, takes MB of memory for it, gives half of it back at the end,
and then takes in samples. Prints nothing. Arguments: the MB, the segments of the log."""
import os
import sys
import time
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("prometheus")
os.nice(5)
size, head = int(sys.argv[1]), []
for segment in sys.argv[2:]:
    with open(segment, "rb", buffering=0) as log:
        while block := log.read(1048576):
            zlib.crc32(block)
            if len(head) < size:
                head.append(bytearray(block))
            time.sleep(0.02)
del head[size // 2 :]
while True:
    time.sleep(1)
    for chunk in head:
        chunk[0] ^= 1
