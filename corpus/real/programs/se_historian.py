"""An alarm engine of a SCADA historian goes through its archive again and again, ten blocks of 1 MB a second, and begins anew at the end of the window.
Arguments: the archive, the MB of the window, and those of the window from when /tmp/go exists. Prints clock, blocks and ms of each once a second."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("historian")
archive, short, long = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
block, at = bytearray(1 << 20), 0


def scan():
    global at
    os.preadv(archive, [block], at << 20)
    at = (at + 1) % (long if os.path.exists("/tmp/go") else short)


for _ in range(short):
    scan()
g_steady.serve(scan, 10)
