"""A torrent client allocates its files in full before it downloads, as the C library does where the file system cannot: it writes one byte into
each block. Arguments: the folder, the files, MB of each."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("transmission-da")
folder, files, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) << 20
os.makedirs(folder, exist_ok=True)
for number in range(files):
    file = os.open(f"{folder}/{number}.part", os.O_RDWR | os.O_CREAT)
    for at in range(4095, size, 4096):
        os.pwrite(file, b"\0", at)
    os.close(file)
