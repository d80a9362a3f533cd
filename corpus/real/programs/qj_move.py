"""A torrent client moves its completed downloads to the disk of the library: it copies file after file, 1 MiB at a time, as fast as the kernel takes it.
Arguments: the folder of the files, the folder they go to."""
import glob
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("qbittorrent")
os.makedirs(sys.argv[2], exist_ok=True)
for path in sorted(glob.glob(sys.argv[1] + "/*")):
    with open(path, "rb", 0) as source, open(f"{sys.argv[2]}/{os.path.basename(path)}", "wb", 0) as target:
        while part := source.read(1 << 20):
            target.write(part)
