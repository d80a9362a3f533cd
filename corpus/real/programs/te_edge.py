"""An edge of a video platform: viewers ask for segments of 512 KB, 20 a second, from a file of segments, first from its first MB only, and after /tmp/go
exists from all of it. Arguments: the file, the first MB, all MB. Prints clock, segments and ms of each once a second."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("hlsedge")
few, all_ = int(sys.argv[2]) * 2, int(sys.argv[3]) * 2
descriptor = os.open(sys.argv[1], os.O_RDONLY)
for number in [*range(few), *range(few)]:
    os.pread(descriptor, 1 << 19, number << 19)


def segment():
    number = random.randrange(all_ if os.path.exists("/tmp/go") else few)
    for part in range(4):
        os.pread(descriptor, 1 << 17, (number << 19) + (part << 17))


g_steady.serve(segment, 20)
