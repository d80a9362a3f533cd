"""A gateway whose module frees no buffer of a request: from when /tmp/go exists it keeps 450 KB more ten times a second, until only so many MiB of
files are cached. Argument: the MiB left."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("luagate")
kept, full = [], False


def files():
    with open("/proc/meminfo") as file:
        return sum(int(line.split()[-2]) for line in file if "ctive(file)" in line) // 1024


while True:
    time.sleep(0.1)
    if os.path.exists("/tmp/go") and not full:
        kept.append(bytearray(b"l") * 450000)
        full = len(kept) % 10 == 0 and files() < int(sys.argv[1])
