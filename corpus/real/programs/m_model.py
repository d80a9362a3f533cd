"""A model server that reloads: holds a model of 60 MB, and from when /tmp/go exists builds the next version beside it, 20 MB/s, until no more than
so many MiB of files are cached; then it warms it up again and again. Argument: the MiB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("modelserver")
old = [bytearray(b"o") * 1048576 for _ in range(60)]
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)


def files():
    with open("/proc/meminfo") as info:
        return sum(int(line.split()[1]) for line in info if "ctive(file)" in line) // 1024


new = []
while files() > int(sys.argv[1]) and len(new) < 600:
    new.append(bytearray(b"n") * 1048576)
    time.sleep(0.05)
while True:
    for part in new:
        part[::4096] = b"w" * 256
    time.sleep(1)
