"""Patches disk images in private maps (MAP_PRIVATE): changes a byte in each page, round after round, and writes nothing back. Arguments: the files."""
import mmap
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("imgpatch")
images = []
for name in sys.argv[1:]:
    file = os.open(name, os.O_RDONLY)
    images.append(mmap.mmap(file, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE))
count = 0
while True:
    count += 1
    for image in images:
        for at in range(0, len(image) - (1 << 20) + 1, 1 << 20):
            image[at : at + (1 << 20) : 4096] = bytes([count % 256]) * 256
