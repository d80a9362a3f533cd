"""An intranet: 10 pages a second, each of 40 blocks at random out of the first MB of a file, which it has read before. From when /tmp/go exists
people come from lunch, and it is asked 25 times a second. Argument: the MB."""
import os
import random
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("intranetd")
file, size = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1])
for _ in range(3):
    for at in range(size * 256):
        os.pread(file, 4096, at << 12)


def page():
    for _ in range(40):
        os.pread(file, 4096, random.randrange(size * 256) << 12)


class Due(float):
    """The seconds between two pages, which change at lunch."""

    def __radd__(self, other):
        return other + (0.04 if os.path.exists("/tmp/go") else 0.1)


pace.serve(page, interval=Due(0.1), behind=0.1)
