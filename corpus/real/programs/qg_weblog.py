"""The statistics page of a home server: goes through its web logs from the first to the last for each report, and starts again; 120 pieces of 256 KB a
second, of the first MB of a file, and of more MB when /tmp/go exists. Arguments: the MB, those later."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("weblogstat")
file, size, at = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]) << 2, 0
for piece in range(size):
    os.pread(file, 1 << 18, piece << 18)


def read():
    global at, size
    if os.pread(file, 1 << 18, at << 18):
        at += 1
    if at >= size:
        at = 0
    if at == 0 and os.path.exists("/tmp/go"):
        size = int(sys.argv[2]) << 2


g_steady.serve(read, 120)
