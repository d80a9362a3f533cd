"""Builds tables of MB, of which half can be compressed, and goes over all pages again and again. Argument: the MB."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("solver")
piece, held = bytes((os.urandom(2048) + bytes(2048)) * 256), []
for _ in range(int(sys.argv[1])):
    table = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    table.write(piece)
    held.append(table)
    time.sleep(0.02)
while True:
    for table in held:
        for at in range(0, 1 << 20, 4096):
            table[at] = 7
    time.sleep(0.3)
