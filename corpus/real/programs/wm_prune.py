"""Prunes a backup repository: builds an index of MB in memory, then copies files into new packs of 16 MB, each synced, and deletes the pack before. Arguments:
the folder for packs, the MB, the files."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("restic")
index = []
for _ in range(int(sys.argv[2])):
    index.append(bytearray(b"i") * (1 << 20))
    time.sleep(0.05)
os.makedirs(sys.argv[1], exist_ok=True)
number = 0
for source in sys.argv[3:]:
    with open(source, "rb") as old:
        while piece := old.read(1 << 24):
            with open(f"{sys.argv[1]}/pack{number}", "wb") as pack:
                pack.write(piece)
                os.fsync(pack.fileno())
            if number:
                os.remove(f"{sys.argv[1]}/pack{number - 1}")
            number += 1
            time.sleep(0.3)
