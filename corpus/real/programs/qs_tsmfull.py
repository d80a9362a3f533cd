"""Full compactions: so many processes each take MB of memory for blocks and go through them again and again. Arguments: processes, MB of each, MB/s
of growth of each. Prints nothing."""
import os
import sys
import time

import qs_query

qs_query.name("tsmcompact")
count, size, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
for _ in range(count - 1):
    if os.fork() == 0:
        break
blocks = []
while True:
    if len(blocks) < size:
        blocks.append(bytearray(b"b") * 1048576)
        time.sleep(1 / rate)
    else:
        for block in blocks:
            block[::4096] = b"c" * 256
            time.sleep(0.01)
