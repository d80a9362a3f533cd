"""Renders the tiles of a game's map by so many processes: computes each, compresses it and writes it to a folder. Arguments: the processes, the folder."""
import os
import sys
import zlib

for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
with open("/proc/self/comm", "w") as name:
    name.write("maprender")
tile = os.urandom(6000) * 4
while True:
    for _ in range(40):
        packed = zlib.compress(tile, 9)
        value = sum(byte * 3 & 255 for byte in packed[:4000])
    with open(f"{sys.argv[2]}/tile.{os.getpid()}", "wb") as file:
        file.write(packed[:4000] + b"%d" % value)
