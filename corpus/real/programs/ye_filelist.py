"""The list of files of a large rsync: takes MB at 25 MB a second while it looks at all folders, then goes through it again and again. Argument: the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("rsync")
names, size = [], int(sys.argv[1])
while len(names) < size:
    names.append(bytearray(os.urandom(4096) * 256))
    time.sleep(0.04)
while True:
    for block in names:
        block[::4096] = b"f" * 256
