"""A job holds MiB of encrypted records, of which no page can be compressed, and looks at a few of them. Arguments: MiB, MiB/s."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("sealed")
piece, held = os.urandom(1 << 20), []
for _ in range(int(sys.argv[1])):
    held.append(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    held[-1].write(piece)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for _ in range(300):
        random.choice(held)[random.randrange(256) * 4096]
    time.sleep(0.5)
