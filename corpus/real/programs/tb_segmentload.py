"""A node that stores the segments which a rebalance assigns to it: it writes each, 60 MB, to its segment cache, as fast as the kernel takes them, and
goes on with the next. Prints nothing. Arguments: the folder, the segments."""
import os
import sys

os.makedirs(sys.argv[1], exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("segment-loader")
block = os.urandom(1 << 20)
for number in range(int(sys.argv[2])):
    with open(f"{sys.argv[1]}/segment{number % 25}", "wb", buffering=0) as segment:
        for _ in range(60):
            segment.write(block)
