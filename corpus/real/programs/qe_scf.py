"""A calculation of electrons that reads its file of integrals from beginning to end in each iteration, in order, 20 MB a second at most. It has so many MB, which
were read before, and from when /tmp/go exists (the next molecule) so many. Arguments: both."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("scf.exe")
before, later = (int(value) * 16 for value in sys.argv[1:])
integrals, at = os.open("/data/lite.db", os.O_RDONLY), 0
for piece in range(before):
    os.pread(integrals, 1 << 16, piece << 16)


def read():
    global at
    os.pread(integrals, 1 << 16, at << 16)
    at = (at + 1) % (later if os.path.exists("/tmp/go") else before)


pace.serve(read, batch=10, interval=1 / 32)
