"""Moves files from a quick disk to a slow one as a NAS does at night: copies each by 1 MB, syncs nothing, and starts with the next. Arguments: the folder, the
files."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("mover")
os.makedirs(sys.argv[1], exist_ok=True)
number = 0
while True:
    source = sys.argv[2 + number % (len(sys.argv) - 2)]
    with open(source, "rb") as old, open(f"{sys.argv[1]}/film{number}", "wb") as new:
        while piece := old.read(1 << 20):
            new.write(piece)
    number += 1
